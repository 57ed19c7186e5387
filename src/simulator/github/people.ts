/** Accounts, their role on the repository and what GitHub says about them. */
import type { Account, Role, State } from './state.ts';

// The identifier of the real account: products compare it.
const GITHUB_ACTIONS_ID = 41_898_282;

/** Adds an account, or changes the role of one that is there. A login that ends in `[bot]` is a bot unless told otherwise. */
export function putAccount(state: State, login: string, options: { permission?: Role; type?: Account['type'] } = {}): Account {
  const present = state.accounts.get(login.toLowerCase());
  if (present !== undefined) {
    present.permission = options.permission ?? present.permission;
    return present;
  }
  const account: Account = {
    login,
    id: login === 'github-actions[bot]' ? GITHUB_ACTIONS_ID : state.nextId(),
    type: options.type ?? (login.endsWith('[bot]') ? 'Bot' : 'User'),
    permission: options.permission ?? 'none',
    isDeleted: false,
  };
  state.accounts.set(login.toLowerCase(), account);
  return account;
}

/** The account of a login that exists and was not deleted. */
export function findAccount(state: State, login: string): Account | undefined {
  const account = state.accounts.get(login.toLowerCase());
  return account?.isDeleted ? undefined : account;
}

export function isBot(state: State, login: string): boolean {
  return findAccount(state, login)?.type === 'Bot';
}

/** The role that counts: everybody reads a public repository. */
export function effectiveRole(state: State, account: Account): Role {
  return account.permission === 'none' && !state.repository.isPrivate ? 'read' : account.permission;
}

/** GitHub's old word for a role, which the `permission` field still uses. */
export function legacyPermission(role: Role): 'admin' | 'write' | 'read' | 'none' {
  if (role === 'maintain') return 'write';
  return role === 'triage' ? 'read' : role;
}

/** The `author_association` of a login. */
export function association(state: State, login: string): 'OWNER' | 'COLLABORATOR' | 'NONE' {
  if (login.toLowerCase() === state.repository.owner.toLowerCase()) return 'OWNER';
  const account = findAccount(state, login);
  const isCollaborator = account?.type === 'User' && account.permission !== 'none';
  return isCollaborator ? 'COLLABORATOR' : 'NONE';
}

/** The signature that GitHub puts on commits made through the API in an account's name. */
export function signatureOf(state: State, login: string, date: string): { name: string; email: string; date: string } {
  const account = state.accounts.get(login.toLowerCase());
  return { name: login, email: `${account?.id ?? 0}+${login}@users.noreply.github.com`, date };
}
