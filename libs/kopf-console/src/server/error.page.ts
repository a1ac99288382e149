import type { IncomingMessage } from 'node:http';

/** Whether a browser that shows a page has sent the request, and no script of a page. */
export function wantsPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return headers.accept?.includes('text/html') === true;
}

/** Makes the page for a request that cannot be answered. */
export function createErrorPage(status: number, sentences: readonly string[]): string {
  const paragraphs = sentences.map((sentence) => `<p>${escapeMarkup(sentence)}</p>`).join('');
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    '<meta name="color-scheme" content="light dark"><title>Kopf console</title></head>' +
    `<body><main><h1>The console cannot be shown (${status})</h1>${paragraphs}</main></body></html>`
  );
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
