;;; emacs.el --- eglot against a copy of a fixture project  -*- lexical-binding: t -*-
;; Run by editors/tests/emacs.sh.

;; Debian's packages; `--quick' leaves them out.
(dolist (dir (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa-src/*"))
  (add-to-list 'load-path dir))
(require 'cl-lib)
(require 'flymake)
(add-to-list 'load-path (concat (getenv "EDITORS") "/emacs"))
(require 'pagelint)
(setq pagelint-program (getenv "PAGELINT_BIN")
      eglot-sync-connect t
      eglot-autoshutdown nil
      eglot-events-buffer-size 0)

(defun wait-for (what condition)
  "Wait until CONDITION holds; WHAT says what for."
  (let ((end (+ (float-time) 60)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (unless (funcall condition)
      (message "emacs: waited in vain for %s" what)
      (kill-emacs 1))))

(setq project-find-functions (list (lambda (_) (cons 'transient (getenv "PROJECT")))))
(find-file (concat (getenv "PROJECT") "/addons/vineyard/commands/vine_commands.gd"))
(gdscript-mode)
(apply #'eglot (let ((guess (eglot--guess-contact))) guess))
(flymake-mode 1)

(defun hand-built ()
  "The diagnostic of the hand-built envelope."
  (save-excursion
    (goto-char (point-min))
    (search-forward "page[MORE] =")
    (let ((line (line-number-at-pos)))
      (cl-find-if (lambda (d)
                    (and (= line (line-number-at-pos (flymake-diagnostic-beg d)))
                         (string-match-p "by hand" (flymake-diagnostic-text d))))
                  (flymake-diagnostics)))))

(wait-for "the diagnostic" (lambda () (flymake-start) (hand-built)))
(message "diagnostic: %s" (car (split-string (flymake-diagnostic-text (hand-built)) "\n")))

(goto-char (flymake-diagnostic-beg (hand-built)))
(let* ((actions (eglot-code-actions (point) (point)))
       (allow (cl-find-if (lambda (a) (string-match-p "^Allow hand-built-envelope" (plist-get a :title)))
                          (append actions nil))))
  (unless allow
    (message "emacs: no allow action in %S" actions)
    (kill-emacs 1))
  (eglot--apply-workspace-edit (plist-get allow :edit)))
(message "written: %s" (save-excursion
                         (goto-char (point-min))
                         (search-forward "pagelint: allow")
                         (string-trim (thing-at-point 'line t))))
(wait-for "the diagnostic to disappear"
          (lambda () (flymake-start) (not (hand-built))))
(message "gone after the action")
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
(kill-emacs 0)
