// Owns which addresses are pictures that GitHub keeps, and where their bytes may be got: no text makes us ask anybody else. Pure.

/** A picture as a text names it. `attachment`: its address is signed anew for whoever may read the text. `public`: it is what is got. */
export type PictureAddress =
  | { readonly kind: 'attachment'; readonly id: string }
  | { readonly kind: 'public'; readonly url: URL };

export interface AttachmentHosts {
  /** What an address in a text names; null: nothing that GitHub keeps. */
  readonly read: (address: string) => PictureAddress | null;
  /** Whether the bytes of this picture may be got there. Asked of a signed address, and of every one that it leads on to. */
  readonly mayGive: (picture: PictureAddress, url: URL) => boolean;
}

const cloudHost = 'github.com';
/** Where people and companies have GitHub's cloud under a name of their own. */
const residencySuffix = '.ghe.com';
/** Uploads up to 2023 lie here, readable for everybody who has the address. */
const publicOrigin = 'https://user-images.githubusercontent.com';
const signedOrigin = 'https://private-user-images.githubusercontent.com';

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
/** At the server itself: today's form, that of 2023 under the repository, and that of a GitHub Enterprise Server. */
const serverPath = new RegExp(`^/(?:user-attachments/assets|[^/]+/[^/]+/assets/\\d+|storage/user/\\d+/files)/(${uuid})$`, 'i');
/** At a host of its own: as it is signed, and as a GitHub Enterprise Server keeps it. */
const storePath = new RegExp(`^/(?:\\d+/\\d+-|user/\\d+/files/)(${uuid})(?:\\.[a-z0-9]+)?$`, 'i');
/** The last part of an address names the picture, and nothing before it does. */
const lastPart = new RegExp(`/(?:\\d+-)?(${uuid})(?:\\.[a-z0-9]+)?$`, 'i');

/** The hosts of one GitHub, by the addresses that the runner gives: github.com, a company's own cloud or server. */
export function createAttachmentHosts({
  serverUrl,
  apiUrl,
}: {
  readonly serverUrl: string;
  readonly apiUrl: string;
}): AttachmentHosts {
  const server = new URL(serverUrl);
  const stores = storesOf(server, new URL(apiUrl));
  const hasPublic = isCloud(server);
  return {
    read(address) {
      const url = URL.parse(address);
      if (url === null || hasLogin(url)) return null;
      if (hasPublic && url.origin === publicOrigin) return { kind: 'public', url };
      const path = url.origin === server.origin ? serverPath : storePath;
      if (url.origin !== server.origin && !stores.includes(url.origin)) return null;
      const id = path.exec(url.pathname)?.[1];
      return id === undefined ? null : { kind: 'attachment', id: id.toLowerCase() };
    },
    mayGive(picture, url) {
      if (hasLogin(url)) return false;
      if (picture.kind === 'public') return url.origin === publicOrigin;
      return stores.includes(url.origin) && lastPart.exec(url.pathname)?.[1]?.toLowerCase() === picture.id;
    },
  };
}

function isCloud({ hostname }: URL): boolean {
  return hostname === cloudHost || hostname.endsWith(residencySuffix);
}

/** Origins, so that scheme and port are compared too. A company's own server keeps the files itself, with or without a host for them. */
function storesOf(server: URL, api: URL): readonly string[] {
  if (server.hostname === cloudHost) return [signedOrigin];
  const own = ['media', 'private-user-images'].map((name) => `${server.protocol}//${name}.${server.host}`);
  return isCloud(server) ? [signedOrigin, ...own] : [server.origin, api.origin, ...own];
}

function hasLogin({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}
