// What a server answers to a call, as parts for the model: text and pictures; of everything else a line that says what it was.
import { z } from 'zod';
import { cutMiddle } from '../schema/head-and-tail.ts';
import { type Part, textPart } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import { maxPictureChars, maxPictureSide, readPicture } from '../schema/picture.ts';
import { findPictureFlaw, flawWords } from '../schema/picture-flaw.ts';
import { decodeBase64 } from './base64.ts';

export interface Rendered {
  readonly output: readonly Part[];
  readonly isError: boolean;
}

/** With the words about what is missing it stays under the 50,000 bytes at which the registry cuts once more. */
const maxTextBytes = 49_900;
/** Each costs as much as a long text. */
const maxImages = 10;
/** Of one result: Anthropic takes 32 MB in a request, with all that went before. */
const maxAllImageChars = 10 * 1024 * 1024;
const maxLabelChars = 300;
/** A result of a million parts takes its time and says nothing. */
const maxParts = 20_000;

const label = z.string().transform((text) => oneLine(text, maxLabelChars));
const optionalLabel = label.optional().catch(undefined);
const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: optionalLabel }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: optionalLabel }),
  z.object({
    type: z.literal('resource'),
    resource: z.object({
      uri: label,
      mimeType: optionalLabel,
      text: z.string().optional(),
      blob: z.string().optional(),
    }),
  }),
  z.object({
    type: z.literal('resource_link'),
    uri: label,
    name: optionalLabel,
    description: optionalLabel,
    mimeType: optionalLabel,
  }),
]);
type Block = z.infer<typeof blockSchema>;

const resultSchema = z.object({
  content: z.array(z.unknown()).optional().catch(undefined),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

/** Never throws but for what JSON cannot hold. Text is cut in its middle; no text and no picture is `(no output)`. */
export function renderResult(result: unknown): Rendered {
  const { content = [], structuredContent, isError = false } = resultSchema.parse(result);
  const pieces = content.slice(0, maxParts).map(renderBlock);
  if (content.length > maxParts) pieces.push(textPart(`[${content.length - maxParts} more parts; left out]`));
  const hasText = pieces.some((piece) => piece.type === 'text' && piece.text.trim() !== '');
  // Servers say the same as text for clients that know no structure.
  if (!hasText && structuredContent !== undefined) pieces.push(textPart(JSON.stringify(structuredContent)));
  const output = capText(joinTexts(capImages(pieces)));
  return { output: output.length === 0 ? [textPart('(no output)')] : output, isError };
}

function renderBlock(value: unknown): Part {
  const { data } = blockSchema.safeParse(value);
  return data === undefined ? textPart('[a part of a kind that is not known here; left out]') : renderKnown(data);
}

function renderKnown(block: Block): Part {
  switch (block.type) {
    case 'text':
      return textPart(block.text);
    case 'image':
      return renderImage(block.data, block.mimeType);
    case 'audio':
      return leftOut(`audio${inParentheses(block.mimeType)}`, block.data);
    case 'resource': {
      const { uri, mimeType, text, blob } = block.resource;
      return text === undefined
        ? leftOut(`resource ${uri}${inParentheses(mimeType)}`, blob ?? '')
        : textPart(`[resource ${uri}]\n${text}`);
    }
    case 'resource_link': {
      const name = block.name === undefined ? '' : ` "${block.name}"`;
      const description = block.description === undefined ? '' : `: ${block.description}`;
      return textPart(`[link to a resource${name} ${block.uri}${inParentheses(block.mimeType)}${description}]`);
    }
  }
}

/** By its bytes: providers refuse a picture whose type is not what it is said to be. */
function renderImage(data: string, mimeType: string | undefined): Part {
  const what = `image${inParentheses(mimeType)}`;
  const bytes = data.length <= maxPictureChars ? decodeBase64(data) : undefined;
  const picture = bytes && readPicture(bytes);
  if (bytes === undefined || picture === undefined) return leftOut(what, data);
  const { mediaType, width, height } = picture;
  const about = `${what}, ${width} × ${height} pixels; left out`;
  if (Math.max(width, height) > maxPictureSide) return textPart(`[${about}: no side may have more than ${maxPictureSide}]`);
  const flaw = findPictureFlaw(bytes, mediaType);
  return flaw === undefined ? { type: 'image', mediaType, data } : textPart(`[${about}: ${flawWords[flaw]}]`);
}

function leftOut(what: string, base64: string): Part {
  return textPart(`[${what}, ${Math.floor((base64.length * 3) / 4)} bytes; left out: it cannot be shown]`);
}

function inParentheses(text: string | undefined): string {
  return text === undefined || text === '' ? '' : ` (${text})`;
}

function capImages(parts: readonly Part[]): readonly Part[] {
  const kept = new Set<Part>();
  let left = 0;
  let chars = 0;
  for (const part of parts) {
    if (part.type !== 'image') continue;
    const hasRoom = kept.size < maxImages && chars + part.data.length <= maxAllImageChars;
    if (hasRoom) kept.add(part);
    else left += 1;
    chars += hasRoom ? part.data.length : 0;
  }
  if (left === 0) return parts;
  const limit = `at most ${maxImages}, of ${maxAllImageChars / 1024 / 1024} MB together, are shown`;
  const note = textPart(`[${left} more ${left === 1 ? 'image' : 'images'}; left out: ${limit}]`);
  return [...parts.filter((part) => part.type !== 'image' || kept.has(part)), note];
}

/** Texts that follow each other become one. */
function joinTexts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  let texts: string[] = [];
  const flush = () => {
    const text = texts.join('\n');
    if (text.trim() !== '') joined.push(textPart(text));
    texts = [];
  };
  for (const part of parts) {
    if (part.type === 'text') texts.push(part.text);
    else {
      flush();
      joined.push(part);
    }
  }
  flush();
  return joined;
}

/** Each text gets what the ones before it left over. */
function capText(parts: readonly Part[]): readonly Part[] {
  let left = maxTextBytes;
  return parts.map((part) => {
    if (part.type !== 'text') return part;
    const text = cutMiddle(part.text, left);
    left = Math.max(0, left - Buffer.byteLength(text));
    return textPart(text);
  });
}
