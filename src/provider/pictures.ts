// Pictures that a server does not take: how that is known before or told from other refusals, and the same request without them.
import { type Part, textPart } from '../schema/message.ts';
import type { ModelRequest } from '../schema/model-call.ts';
import { ProviderError } from '../schema/stream.ts';
import type { Connection } from './connection.ts';
import { isTextModel, pictureLimitsOf } from './picture-facts.ts';
import { isPicture, picturesBeyond } from './picture-limits.ts';

/** How servers word it: the model sees none, one is broken, has too many pixels, or there are too many of them. None has a code for it. */
const wording = /image|picture|vision|multi-?modal/i;
const wordedStatuses: readonly (number | undefined)[] = [400, 404, 415, 422];
/** Too many bytes: pictures are nearly all of them where there are any. */
const tooLarge = 413;

/** Whether `request` may have been refused for its pictures. Asked once more without them, one that was not is refused again. */
export function isPictureRefusal(error: unknown, request: ModelRequest): boolean {
  if (!(error instanceof ProviderError) || !hasPictures(request)) return false;
  const { status, said = '' } = error.fault;
  return status === tooLarge || (wordedStatuses.includes(status) && wording.test(said));
}

/** What a provider shows its server of pictures, for as long as it lives. */
export interface PictureGate {
  /** The request as it may be sent. */
  readonly admit: (request: ModelRequest) => ModelRequest;
  /** Pictures were refused: none is sent any more. */
  readonly close: () => void;
  /** What people should know of a request that was answered. */
  readonly notesOn: (request: ModelRequest) => readonly string[];
}

/** Open, but for models that are known to see no pictures. */
export function createPictureGate(connection: Pick<Connection, 'vendor' | 'endpoint' | 'model'>): PictureGate {
  const limits = pictureLimitsOf(connection);
  const { model } = connection;
  let why = isTextModel(model) ? 'this model sees none' : undefined;
  return {
    admit(request) {
      if (why !== undefined) return withoutPictures(request, why);
      const beyond = picturesBeyond(request, limits);
      return withLines(request, (picture) => (beyond.has(picture) ? noRoom : undefined));
    },
    close() {
      why = refused;
    },
    notesOn: (request) =>
      why !== undefined && hasPictures(request) ? [`Pictures were left out of what ${model} was shown: ${why}.`] : [],
  };
}

const refused = 'refused by the model’s server';
const noRoom = 'newer ones take the room that a request has for pictures';

/** `request` with a line in the place of each picture. */
export function withoutPictures(request: ModelRequest, why = refused): ModelRequest {
  return withLines(request, () => why);
}

/** `request` with a line in the place of each picture that there is a reason for; pictures are counted from 0. */
function withLines(request: ModelRequest, reasonFor: (picture: number) => string | undefined): ModelRequest {
  let picture = -1;
  const shown = (part: Part): Part => {
    if (!isPicture(part)) return part;
    picture += 1;
    const why = reasonFor(picture);
    return why === undefined ? part : textPart(`[a picture; left out: ${why}]`);
  };
  return {
    ...request,
    messages: request.messages.map((message) =>
      message.content.some(isPicture) ? { ...message, content: message.content.map(shown) } : message,
    ),
  };
}

function hasPictures({ messages }: ModelRequest): boolean {
  return messages.some(({ content }) => content.some(isPicture));
}
