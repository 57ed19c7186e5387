/** The hand's part about accounts, tokens, apps and settings. */
import { issueToken, registerApp } from '../apps.ts';
import { DEFAULT_PERMISSIONS } from '../auth.ts';
import type { Hand } from '../contract.ts';
import type { Hub } from '../hub.ts';
import { putAccount } from '../people.ts';
import { known } from './known.ts';

type PeopleHand = Pick<
  Hand,
  'addUser' | 'setPermission' | 'deleteUser' | 'issueToken' | 'revokeToken' | 'registerApp' | 'renameRepository' | 'configure'
>;

export function createPeopleHand(hub: Hub): PeopleHand {
  const { state } = hub;
  return {
    addUser: (login, options) => void putAccount(state, login, options),
    setPermission: (login, permission) => void putAccount(state, login, { permission }),
    deleteUser(login) {
      putAccount(state, login).isDeleted = true;
    },
    issueToken(actorLogin, permissions = DEFAULT_PERMISSIONS) {
      return issueToken(state, { actor: known(hub, actorLogin), permissions });
    },
    revokeToken: (token) => void state.grants.delete(token),
    registerApp: (app) => registerApp(hub, app),
    renameRepository(name) {
      state.repository.formerNames.push(state.repository.name);
      state.repository.name = name;
    },
    configure(change) {
      const { repository } = state;
      repository.isPrivate = change.private ?? repository.isPrivate;
      repository.draftsAllowed = change.draftsAllowed ?? repository.draftsAllowed;
      repository.actionsMayCreatePulls = change.actionsMayCreatePulls ?? repository.actionsMayCreatePulls;
      repository.protectedBranches = [...(change.protectedBranches ?? repository.protectedBranches)];
      repository.signedBranches = [...(change.signedBranches ?? repository.signedBranches)];
    },
  };
}
