/** The media type that has texts as HTML, too: what GitHub makes of a text's pictures. All other Markdown stays as it is written. */
import { createHash } from 'node:crypto';
import { signedAssetUrl } from '../attachments/attachment.ts';
import type { Call } from '../http/call.ts';
import type { Hub } from '../hub.ts';

/** The answer with `body_html` and `body_text` where the request asked for all forms of a text. */
export function withHtml<T extends { readonly body?: string | null }>(hub: Hub, call: Call, rendered: T): T {
  if (!/application\/vnd\.github(?:\.v3)?\.full(?:\+json)?/.test(call.accept)) return rendered;
  const body = rendered.body ?? '';
  return { ...rendered, body_html: renderHtml(hub, body), body_text: body };
}

const CODE = /(`+)[^`][\s\S]*?\1/;
const PICTURE = /!\[([^\]]*)\]\(([^()\s]+)\)|<img\b[^>]*?\bsrc\s*=\s*["']([^"']+)["'][^>]*>/;
const PIECES = new RegExp(`${CODE.source}|${PICTURE.source}`, 'g');

/** A text as a page shows it, with the addresses of its pictures signed for whoever asked. */
export function renderHtml(hub: Hub, body: string): string {
  let html = '';
  let at = 0;
  for (const match of body.matchAll(PIECES)) {
    const [all, ticks, alt = '', target, source] = match;
    html += escapeHtml(body.slice(at, match.index));
    html += ticks === undefined ? renderPicture(hub, target ?? source ?? '', alt) : `<code>${escapeHtml(all)}</code>`;
    at = match.index + all.length;
  }
  return `<p dir="auto">${html}${escapeHtml(body.slice(at))}</p>`;
}

function renderPicture(hub: Hub, url: string, alt: string): string {
  const uuid = /\/(?:user-attachments\/assets|assets\/\d+)\/([0-9a-f-]{36})$/i.exec(url)?.[1]?.toLowerCase() ?? '';
  const attachment = hub.state.attachments.get(uuid);
  if (attachment !== undefined) return linked(signedAssetUrl(hub, attachment), alt);
  const isOwn = URL.parse(url)?.hostname.endsWith('.githubusercontent.com') ?? false;
  return linked(isOwn ? url : camoUrl(url), alt, url);
}

function linked(url: string, alt: string, canonical?: string): string {
  const source = canonical === undefined ? '' : ` data-canonical-src="${escapeHtml(canonical)}"`;
  const src = escapeHtml(url);
  return `<a target="_blank" rel="noopener noreferrer" href="${src}"><img src="${src}" alt="${escapeHtml(alt)}"${source} style="max-width: 100%;"></a>`;
}

/** Foreign pictures are shown through GitHub's own host. */
function camoUrl(url: string): string {
  const digest = createHash('sha256').update(url).digest('hex');
  return `https://camo.githubusercontent.com/${digest}/${Buffer.from(url).toString('hex')}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
