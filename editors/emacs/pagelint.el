;;; pagelint.el --- `pagelint lsp' for eglot  -*- lexical-binding: t -*-

;;; Commentary:
;; Load this file, then `M-x eglot' in a GDScript buffer. Go and TypeScript have servers of their
;; own, and eglot runs one server a buffer: there, `M-x compile' with `pagelint check --format
;; short' gives a list to step through.

;;; Code:

(require 'eglot)

(unless (fboundp 'gdscript-mode)
  (define-derived-mode gdscript-mode prog-mode "GDScript"
    "A plain mode for GDScript, where no other is installed."
    (setq-local comment-start "# "))
  (add-to-list 'auto-mode-alist '("\\.gd\\'" . gdscript-mode)))

(defvar pagelint-program "pagelint"
  "The program that serves.")

(add-to-list 'eglot-server-programs
             `(gdscript-mode . ,(lambda (&rest _) (list pagelint-program "lsp"))))

(provide 'pagelint)
;;; pagelint.el ends here
