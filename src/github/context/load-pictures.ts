// Owns the pictures of the task's texts: which are wanted, and each one loaded or left out with a reason. No text's trust changes by it.
import { maxPictureChars } from '../../schema/picture.ts';
import { createSlots } from '../../schema/slots.ts';
import type { TaskPicture } from '../../schema/task.ts';
import type { Log } from '../../schema/world.ts';
import { GitHubApiError, type RepositoryApi } from '../api.ts';
import type { AttachmentHosts, PictureAddress } from './attachment-hosts.ts';
import { fetchPicture } from './fetch-picture.ts';
import { judgePicture } from './judge-picture.ts';
import { loadHtml, type TextSource } from './load-html.ts';
import { decodeEntities, sourceOf, tagsOf } from './markup.ts';

/** The addresses of a text's pictures. `source` null: it stands in no thread, and nobody signs addresses for it. */
export interface TextImages {
  readonly addresses: readonly string[];
  readonly source: TextSource | null;
}

export interface PictureSource extends RepositoryApi {
  readonly fetch: typeof globalThis.fetch;
  readonly hosts: AttachmentHosts;
  readonly log: Log;
}

/** Each costs a model about as much as 1,600 words, and a thread has its newest few in mind. */
const maxPictures = 8;
/** In base64, all together: half of what a request to a model may hold. */
const maxTotalChars = 12 * 1024 * 1024;
/** A run can do without them. */
const timeoutMs = 30_000;
const atOnce = 3;
/** Texts that are asked for one picture's address. */
const maxSources = 4;
const maxBytes = (maxPictureChars / 4) * 3;

/**
 * The pictures of each of `texts`, in the order of its addresses; those of the first texts come first where there are too many. Rejects
 * with the signal's reason when it aborts, and for nothing else.
 */
export async function loadPictures(
  texts: readonly TextImages[],
  source: PictureSource,
  signal: AbortSignal,
): Promise<ReadonlyMap<TextImages, readonly TaskPicture[]>> {
  const wanted = chooseWanted(texts, source.hosts);
  const load = createLoader(source, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  const loaded = await Promise.all(wanted.map(async (one) => ('why' in one ? one.why : await load(one))));
  signal.throwIfAborted();
  const pictures = fitTotal(wanted, loaded);
  const shown = pictures.filter((picture) => 'data' in picture).length;
  if (pictures.length > 0) source.log(`[context] pictures=${shown} left_out=${pictures.length - shown}`);
  return new Map(texts.map((text) => [text, pictures.filter((_picture, index) => wanted[index]?.text === text)]));
}

/** One picture of one text, to be looked for in `sources`; with a reason where it is not even asked for. */
type Wanted = { readonly text: TextImages; readonly shownAs: string } & (
  | { readonly picture: PictureAddress; readonly sources: readonly TextSource[] }
  | { readonly why: string }
);

function chooseWanted(texts: readonly TextImages[], hosts: AttachmentHosts): readonly Wanted[] {
  const places = texts.flatMap((text) =>
    text.addresses.map((address) => ({ text, shownAs: showAddress(address), picture: hosts.read(address) })),
  );
  const sources = Map.groupBy(places, ({ picture }) => keyOf(picture));
  const seen = new Set<string>();
  return places.map(({ picture, ...place }): Wanted => {
    const key = keyOf(picture);
    if (picture === null) return { ...place, why: 'it is not kept by GitHub, and nobody else is asked' };
    if (seen.has(key)) return { ...place, why: 'it is the same as another one here' };
    if (seen.size === maxPictures) return { ...place, why: `no more than ${maxPictures} are loaded` };
    seen.add(key);
    return { ...place, picture, sources: sourcesOf(sources.get(key) ?? []) };
  });
}

/** The same for the same picture. */
function keyOf(picture: PictureAddress | null): string {
  if (picture === null) return '';
  return picture.kind === 'public' ? picture.url.href : picture.id;
}

function sourcesOf(places: readonly { readonly text: TextImages }[]): readonly TextSource[] {
  const sources = new Set(places.flatMap(({ text }) => text.source ?? []));
  return [...sources].slice(0, maxSources);
}

/** Without its query, which may open the picture for others; what is no address of the web is of no use to anybody. */
function showAddress(address: string): string {
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol)) return `${url.origin}${url.pathname}`;
  return url === null ? address.slice(0, 200).replace(/[?#].*/s, '') : url.protocol;
}

type Loader = (wanted: Extract<Wanted, { readonly picture: PictureAddress }>) => Promise<Loaded | string>;
type Loaded = Pick<Extract<TaskPicture, { readonly data: string }>, 'data' | 'mediaType' | 'width' | 'height'>;

/** What a picture came to: itself, or why there is none. Each text is asked for once. */
function createLoader(source: PictureSource, signal: AbortSignal): Loader {
  const slots = createSlots(atOnce);
  const signed = new Map<TextSource, Promise<readonly URL[]>>();
  const signedFor = (text: TextSource): Promise<readonly URL[]> => {
    const known = signed.get(text) ?? loadHtml(text, source, signal).then(addressesIn);
    signed.set(text, known);
    return known;
  };
  const load: Loader = async ({ picture, sources }) => {
    const mayGive = (url: URL): boolean => source.hosts.mayGive(picture, url);
    const address = picture.kind === 'public' ? picture.url : await findAddress(sources, signedFor, mayGive);
    if (address === undefined) return 'GitHub gave no address for it';
    const fetched = await fetchPicture(address, { fetch: source.fetch, mayGive, maxBytes }, signal);
    if (fetched.kind === 'none') return fetched.why;
    const judged = judgePicture(fetched.bytes);
    return judged.kind === 'none' ? judged.why : { ...judged.picture, data: fetched.bytes.toString('base64') };
  };
  return (wanted) => slots(() => load(wanted), signal).catch((error: unknown) => describeFault(error, signal));
}

/** Of the first text whose HTML has one: a text that only names a picture must not take it from the one that shows it. */
async function findAddress(
  [first, ...others]: readonly TextSource[],
  signedFor: (text: TextSource) => Promise<readonly URL[]>,
  mayGive: (url: URL) => boolean,
): Promise<URL | undefined> {
  if (first === undefined) return undefined;
  const address = await signedFor(first).then(
    (urls) => urls.find(mayGive),
    (error: unknown) => {
      if (others.length === 0) throw error;
      return undefined;
    },
  );
  return address ?? (await findAddress(others, signedFor, mayGive));
}

function describeFault(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it took too long to load';
  if (error instanceof GitHubApiError) {
    // 0: there was none.
    const answered = error.status === 0 ? 'did not answer' : `answered ${error.status}`;
    return `GitHub ${answered} when asked for its address`;
  }
  // What a transport says may name the address, which opens the picture for everybody.
  return 'it could not be loaded';
}

function addressesIn(html: string): readonly URL[] {
  return Array.from(tagsOf(html)).flatMap(({ name, attributes }) => {
    const url = name === 'img' ? URL.parse(decodeEntities(sourceOf(attributes) ?? '')) : null;
    return url === null ? [] : [url];
  });
}

/** In their order, as long as there is room for all of it. */
function fitTotal(wanted: readonly Wanted[], loaded: readonly (Loaded | string)[]): readonly TaskPicture[] {
  let chars = 0;
  return wanted.map(({ shownAs: address }, index) => {
    const one = loaded[index] ?? '';
    if (typeof one === 'string') return { address, why: one };
    if (chars + one.data.length > maxTotalChars) return { address, why: 'all pictures together are too large' };
    chars += one.data.length;
    return { address, ...one };
  });
}
