// Pictures that a server does not take: how that is told from other refusals, and the same request without them.
import { type Part, textPart } from '../schema/message.ts';
import type { ModelRequest } from '../schema/model-call.ts';
import { ProviderError } from '../schema/stream.ts';

/** How servers word it: the model sees none, one is broken, has too many pixels, or there are too many of them. None has a code for it. */
const wording = /image|picture|vision|multi-?modal/i;
const wordedStatuses: readonly (number | undefined)[] = [400, 404, 415, 422];
/** Too many bytes: pictures are nearly all of them where there are any. */
const tooLarge = 413;

/** Whether `request` may have been refused for its pictures. Asked once more without them, one that was not is refused again. */
export function isPictureRefusal(error: unknown, request: ModelRequest): boolean {
  if (!(error instanceof ProviderError) || !request.messages.some(({ content }) => content.some(isPicture))) return false;
  const { status, said = '' } = error.fault;
  return status === tooLarge || (wordedStatuses.includes(status) && wording.test(said));
}

/** `request` with a line in the place of each picture. */
export function withoutPictures(request: ModelRequest): ModelRequest {
  return {
    ...request,
    messages: request.messages.map((message) =>
      message.content.some(isPicture)
        ? { ...message, content: message.content.map((part) => (isPicture(part) ? textPart(leftOut) : part)) }
        : message,
    ),
  };
}

const leftOut = '[a picture; left out: the model’s server did not take it]';

function isPicture(part: Part): boolean {
  return part.type === 'image';
}
