// Owns whether some bytes are a picture that a model can be shown, by the bytes alone: no name and no type is believed. Pure.
import { maxPictureSide, type Picture, readPicture } from '../../schema/picture.ts';
import { findPictureFlaw, flawWords } from '../../schema/picture-flaw.ts';

/** `why` is a clause for people. */
export type JudgedPicture =
  | { readonly kind: 'picture'; readonly picture: Picture }
  | { readonly kind: 'none'; readonly why: string };

/** The picture that the bytes are, or why it is not shown. */
export function judgePicture(bytes: Buffer): JudgedPicture {
  const picture = readPicture(bytes);
  if (picture === undefined) return { kind: 'none', why: describeOther(bytes) };
  const { width, height, mediaType } = picture;
  if (Math.max(width, height) > maxPictureSide) {
    return { kind: 'none', why: `it has ${width} × ${height} pixels, and models take ${maxPictureSide} a side` };
  }
  const flaw = findPictureFlaw(bytes, mediaType);
  return flaw === undefined ? { kind: 'picture', picture } : { kind: 'none', why: flawWords[flaw] };
}

/** Enough for what stands before the first element. */
const startBytes = 2_048;

function describeOther(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, startBytes);
  if (/^(?:\xef\xbb\xbf)?\s*<(?:[^>]*>\s*<)*?svg[\s>]/i.test(start)) return 'it is an SVG, which is a text and no picture';
  if (/^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)/i.test(start)) return 'it is a web page';
  const isPictures = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP)/s.test(start);
  return isPictures ? flawWords.broken : 'it is no PNG, JPEG, GIF or WebP';
}
