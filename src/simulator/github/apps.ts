/** Tokens and GitHub Apps: issuing them, and reading the web token by which an app speaks for itself. */
import { generateKeyPairSync, randomUUID, verify } from 'node:crypto';
import type { AppHandle } from './contract.ts';
import { field } from './http/call.ts';
import { Refusal } from './http/reply.ts';
import type { Hub } from './hub.ts';
import { putAccount } from './people.ts';
import type { App, Grant, Level, State } from './state.ts';

const APP_PERMISSIONS: Readonly<Record<string, Level>> = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  actions: 'read',
};
const KEY_BITS = 2048;
// GitHub takes web tokens that end within ten minutes.
const MAX_LIFE_SECONDS = 600;

/** Makes a token with GitHub's prefixes, which redaction looks for. */
export function issueToken(state: State, grant: Grant): string {
  const token = `${grant.actor.endsWith('[bot]') ? 'ghs' : 'ghp'}_${randomUUID().replaceAll('-', '').padEnd(36, '0')}`;
  state.grants.set(token, grant);
  return token;
}

/** Installs an app on the repository and gives its key. */
export function registerApp(hub: Hub, draft: { slug: string; permissions?: Readonly<Record<string, Level>> }): AppHandle {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const app: App = {
    id: hub.state.nextId(),
    slug: draft.slug,
    publicKey,
    installationId: hub.state.nextId(),
    permissions: draft.permissions ?? APP_PERMISSIONS,
    createdAt: hub.now(),
  };
  hub.state.apps.set(app.id, app);
  putAccount(hub.state, `${app.slug}[bot]`);
  return { appId: app.id, installationId: app.installationId, privateKey };
}

/** The app behind a web token, which must be signed by its key and end within ten minutes; 401 otherwise. */
export function readAppToken(state: State, token: string, now: string): Grant {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = decode(payload);
  const app = state.apps.get(Number(field(claims, 'iss')));
  const isSigned =
    app !== undefined &&
    verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), app.publicKey, Buffer.from(signature, 'base64url'));
  if (!isSigned) throw new Refusal(401, 'A JSON web token could not be decoded');
  const secondsLeft = Number(field(claims, 'exp')) - Date.parse(now) / 1000;
  if (!(secondsLeft > 0)) {
    throw new Refusal(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (secondsLeft > MAX_LIFE_SECONDS) throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
  return { actor: `${app.slug}[bot]`, permissions: {}, appId: app.id };
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
