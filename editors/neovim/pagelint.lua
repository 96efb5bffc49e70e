-- Starts `pagelint lsp` for GDScript, Go, TypeScript and JavaScript buffers. For Neovim before 0.11; newer
-- ones need only the lines in docs/editors.md.
--
-- Put this file into `lua/` of your configuration and call `require("pagelint").setup()`.

local M = {}

M.filetypes = {
  "gdscript", "gd", "go", "typescript", "typescriptreact", "javascript", "javascriptreact",
}
M.marks = { "pagelint.toml", "project.godot", "go.mod", ".git" }

-- The nearest directory at or above a file that holds one of the marks.
local function root_of(file)
  local dir = vim.fn.fnamemodify(file, ":p:h")
  local above = dir
  while true do
    for _, mark in ipairs(M.marks) do
      if vim.loop.fs_stat(above .. "/" .. mark) then
        return above
      end
    end
    local parent = vim.fn.fnamemodify(above, ":h")
    if parent == above then
      return dir
    end
    above = parent
  end
end

local clients = {}

-- Attaches a buffer to the server of its workspace and starts that where it does not run yet.
function M.attach(buffer, options)
  local file = vim.api.nvim_buf_get_name(buffer)
  if file == "" then
    return
  end
  local root = root_of(file)
  local id = clients[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client({
      name = "pagelint",
      cmd = options.cmd or { "pagelint", "lsp" },
      root_dir = root,
      init_options = options.init_options or vim.empty_dict(),
    })
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

function M.setup(options)
  options = options or {}
  -- Neovim before 0.8 does not know GDScript by itself.
  vim.cmd("autocmd BufNewFile,BufRead *.gd if &filetype == '' | setfiletype gdscript | endif")
  vim.api.nvim_create_autocmd("FileType", {
    pattern = M.filetypes,
    callback = function(event)
      M.attach(event.buf, options)
    end,
  })
end

return M
