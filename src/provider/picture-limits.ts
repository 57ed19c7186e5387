// How many pictures one request holds: the oldest make room for newer ones, many at once, so that the prefix of a cache lasts. Pure.
import type { ImagePart, Part } from '../schema/message.ts';
import type { ModelRequest } from '../schema/model-call.ts';
import { readPicture } from '../schema/picture.ts';
import { crowdSide, type PictureLimits } from './picture-facts.ts';

/** What is left where there was no room: half of it, so that as much comes in again before the prefix changes the next time. */
const roomLeft = 1 / 2;
/** Of base64: enough for the sizes of a picture, which may stand behind a preview of it. */
const headChars = 128 * 1024;

/**
 * The pictures of a request that are left out, so that the rest is within the limits. It is decided as the pictures came, one after the
 * other: what was decided of a history is decided of its continuation too.
 */
export function picturesBeyond({ messages }: ModelRequest, limits: PictureLimits): ReadonlySet<number> {
  const sizes = messages.flatMap(({ content }) => content.filter(isPicture).map(({ data }) => data));
  const isLarge = sizes.map((data) => sizes.length > limits.crowd && hasLargeSide(data));
  const fits = (from: number, to: number, share: number): boolean =>
    to - from <= limits.count * share &&
    sizes.slice(from, to).reduce((sum, { length }) => sum + length, 0) <= limits.chars * share &&
    (to - from <= limits.crowd * share || !isLarge.slice(from, to).includes(true));
  let first = 0;
  for (let end = 1; end <= sizes.length; end += 1) {
    if (fits(first, end, 1)) continue;
    while (first < end - 1 && !fits(first, end, roomLeft)) first += 1;
    // The newest one stays where it alone has room.
    if (!fits(first, end, 1)) first = end;
  }
  return new Set(sizes.keys().take(first));
}

export function isPicture(part: Part): part is ImagePart {
  return part.type === 'image';
}

function hasLargeSide(data: string): boolean {
  const picture = readPicture(Buffer.from(data.slice(0, headChars), 'base64'));
  return picture !== undefined && Math.max(picture.width, picture.height) > crowdSide;
}
