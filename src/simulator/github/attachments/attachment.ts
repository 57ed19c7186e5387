/** Files that people put into texts: where they stand, and the addresses under which they are got. Serves and renders nothing. */
import { createHash } from 'node:crypto';
import type { Hub } from '../hub.ts';
import type { Attachment } from '../state.ts';

/** Where signed addresses lead; GitHub has a host of its own for it. */
export const SIGNED_PREFIX = '/private-user-images/';
/** What a text holds. */
export const ASSET_PREFIX = '/user-attachments/assets/';

// As GitHub's: an address out of a page does not last.
const SIGNED_MS = 300_000;

/** Keeps a file as if somebody had dropped it into a comment. */
export function addAttachment(hub: Hub, file: Pick<Attachment, 'owner' | 'name' | 'content' | 'mimeType'>): Attachment {
  const id = hub.state.nextId();
  const digits = createHash('sha256').update(`${hub.urls.results} ${id}`).digest('hex');
  const uuid = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ];
  const attachment = { ...file, id, uuid: uuid.join('-') };
  hub.state.attachments.set(attachment.uuid, attachment);
  return attachment;
}

/** The lasting address, which opens nothing by itself where the repository is private. */
export function assetUrl(hub: Hub, { uuid }: Attachment): string {
  return `${hub.urls.server}${ASSET_PREFIX}${uuid}`;
}

/** The address that opens it for five minutes, for whoever has it. */
export function signedAssetUrl(hub: Hub, attachment: Attachment): string {
  const path = pathOf(hub, attachment);
  const until = Date.parse(hub.now()) + SIGNED_MS;
  return `${hub.urls.results}${SIGNED_PREFIX}${path}?jwt=${until}.${signatureOf(hub, path, until)}`;
}

/** The file behind a path below `SIGNED_PREFIX`, where the signature is good and still holds. */
export function findSigned(hub: Hub, path: string, jwt: string): Attachment | undefined {
  const [until = '', signature] = jwt.split('.');
  const isGood = signature === signatureOf(hub, path, Number(until)) && Number(until) > Date.parse(hub.now());
  return isGood ? [...hub.state.attachments.values()].find((attachment) => pathOf(hub, attachment) === path) : undefined;
}

function pathOf(hub: Hub, { id, uuid, owner, name }: Attachment): string {
  const ending = /\.[a-z0-9]+$/i.exec(name)?.[0] ?? '';
  return `${hub.state.accounts.get(owner.toLowerCase())?.id ?? 0}/${id}-${uuid}${ending}`;
}

// The repository's creation time keeps signatures of two instances apart; nothing secret is protected here.
function signatureOf(hub: Hub, path: string, until: number): string {
  return createHash('sha256').update(`${hub.state.repository.createdAt} ${path} ${until}`).digest('hex');
}
