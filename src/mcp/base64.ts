// Bytes that a server sends as base64. Pure.

/** The bytes, or undefined when it is not base64. */
export function decodeBase64(text: string): Buffer | undefined {
  return isBase64(text) ? Buffer.from(text, 'base64') : undefined;
}

/** What is no letter of it is looked for: a pattern for the whole would need a stack as deep as the text is long. */
function isBase64(text: string): boolean {
  const letters = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  return text.length % 4 === 0 && letters !== '' && !/[^A-Za-z0-9+/]/.test(letters);
}
