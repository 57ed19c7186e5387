// Variables that keep programs from asking, paging, editing and colouring: nobody sits there (G5-05 to G5-08). Pure data.

/** Laid over a command's environment. */
export const nonInteractiveEnvironment: Readonly<Record<string, string>> = {
  CI: 'true',
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  // vim alone does not mind that there is no terminal, and waits: it is to end when it has done what its arguments say.
  VIMINIT: 'autocmd VimEnter * if !has("ttyin") | cquit | endif',
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
  // Programs, not settings: git and ssh start them to ask for a password, and their failure is the answer.
  GIT_ASKPASS: '/bin/false',
  SSH_ASKPASS: '/bin/false',
  SUDO_ASKPASS: '/bin/false',
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  npm_config_yes: 'true',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  PYTHONUNBUFFERED: '1',
};
