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
export function registerApp(
  hub: Hub,
  draft: { slug: string; permissions?: Readonly<Record<string, Level>>; isInstalled?: boolean },
): AppHandle {
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
    isInstalled: draft.isInstalled ?? true,
    createdAt: hub.now(),
  };
  hub.state.apps.set(app.id, app);
  putAccount(hub.state, `${app.slug}[bot]`);
  return { appId: app.id, installationId: app.installationId, privateKey };
}

/**
 * The app behind a web token: signed by its key with RS256, not from the future, and ending within ten minutes. 401 otherwise, and
 * 404 for an `iss` that is no app. The statuses and texts are those that people report; no document lists them.
 */
export function readAppToken(state: State, token: string, now: string): Grant {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = decode(payload);
  if (claims === undefined || field(decode(header), 'alg') !== 'RS256') throw undecodable();
  checkTimes(claims, Date.parse(now) / 1000);
  const app = state.apps.get(Number(field(claims, 'iss')));
  if (app === undefined) throw new Refusal(404, 'Integration not found');
  const isSigned = verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), app.publicKey, Buffer.from(signature, 'base64url'));
  if (!isSigned) throw undecodable();
  return { actor: `${app.slug}[bot]`, permissions: {}, appId: app.id };
}

function undecodable(): Refusal {
  return new Refusal(401, 'A JSON web token could not be decoded');
}

function checkTimes(claims: unknown, now: number): void {
  const [issuedAt, expiresAt] = [field(claims, 'iat'), field(claims, 'exp')];
  if (!Number.isInteger(issuedAt) || Number(issuedAt) > now) {
    const message = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
    throw new Refusal(401, message);
  }
  if (!(Number.isInteger(expiresAt) && Number(expiresAt) > now)) {
    const message =
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
    throw new Refusal(401, message);
  }
  const isTooFar = Number(expiresAt) - now > MAX_LIFE_SECONDS;
  if (isTooFar) throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
