-- Run by editors/tests/neovim: the shipped snippet against a copy of a fixture project.
local function fail(message)
  io.stderr:write("neovim: " .. message .. "\n")
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(60000, condition, 20) then
    fail("waited in vain for " .. what)
  end
end

local project = vim.env.PROJECT
package.path = vim.env.EDITORS .. "/neovim/?.lua;" .. package.path
require("pagelint").setup({ cmd = { vim.env.PAGELINT_BIN, "lsp" } })

local ok, error = pcall(function()
  vim.cmd("filetype on")
  vim.cmd("edit " .. project .. "/addons/vineyard/commands/vine_commands.gd")
  local buffer = vim.api.nvim_get_current_buf()
  local function found()
    local line = vim.fn.search([[^\s*page\[MORE\] = ]], "nw") - 1
    for _, diagnostic in ipairs(vim.diagnostic.get(buffer)) do
      if diagnostic.code == "hand-built-envelope" and diagnostic.lnum == line then
        return diagnostic
      end
    end
  end
  wait("the diagnostic of the hand-built envelope", found)
  local diagnostic = found()
  print("diagnostic: " .. diagnostic.lnum + 1 .. ": " .. diagnostic.message:gsub("\n.*", ""))
  if diagnostic.severity ~= vim.diagnostic.severity.ERROR or diagnostic.source ~= "pagelint" then
    fail("wrong severity or source")
  end

  -- Jump to the first related span, as a user's mapping would.
  local related = diagnostic.user_data.lsp.relatedInformation
  if not related or #related == 0 then
    fail("no related places")
  end
  vim.lsp.util.jump_to_location(related[1].location, "utf-16")
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local text = vim.api.nvim_get_current_line():sub(column + 1)
  print("related: line " .. row .. ": " .. related[1].message .. ", at " .. text:sub(1, 12))
  if row == diagnostic.lnum + 1 or not text:find('^"returned"') then
    fail("the jump led to line " .. row .. ": " .. text)
  end

  -- The allow action.
  vim.api.nvim_win_set_cursor(0, { diagnostic.lnum + 1, diagnostic.col })
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics(buffer) }
  local answers = vim.lsp.buf_request_sync(buffer, "textDocument/codeAction", params, 60000)
  local action
  for _, answer in pairs(answers or {}) do
    for _, candidate in ipairs(answer.result or {}) do
      if candidate.isPreferred then
        fail("a silencing action is preferred")
      end
      if candidate.title:find("^Allow hand%-built%-envelope") then
        action = candidate
      end
    end
  end
  if not action then
    fail("no allow action")
  end
  vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
  print("written: " .. vim.api.nvim_buf_get_lines(buffer, diagnostic.lnum, diagnostic.lnum + 1, false)[1])
  wait("the diagnostic to disappear", function()
    return not found()
  end)
  print("gone after the action")

  -- Undo brings it back.
  vim.cmd("undo")
  wait("the diagnostic to come back", found)

  -- Hover shows the object.
  local place = vim.lsp.util.make_position_params()
  local line = vim.fn.search([[return MCPToolkitSuccess.ok(page)]], "nw") - 1
  place.position = { line = line, character = 28 }
  for _, answer in pairs(vim.lsp.buf_request_sync(buffer, "textDocument/hover", place, 60000) or {}) do
    if answer.result then
      print("hover: " .. answer.result.contents.value:gsub("\n+", " "))
    end
  end
end)
if not ok then
  fail(tostring(error))
end
vim.cmd("qall!")
