import { parseGoBool } from '../common/go-bool.js';
import type { ApiRequest, ApiResponse } from './api.request.js';
import { endOfText } from './json.text.js';

/** The beginnings of the user agents that people read the answers in. */
const READERS = ['curl', 'Wget', 'Mozilla/5.0'];

/** Whether a client gets indented JSON: by the parameter `pretty`, or because of its user agent. Watches and schemas are never indented. */
export function wantsIndentation({ path, headers }: Pick<ApiRequest, 'path' | 'headers'>): boolean {
  const isReader = READERS.some((reader) => headers['user-agent']?.startsWith(reader));
  // Nearly all requests are of programs: their queries are not parsed for this.
  if (!isReader && !path.includes('pretty=')) return false;
  const at = path.indexOf('?');
  const query = at < 0 ? undefined : new URLSearchParams(path.slice(at + 1));
  const pretty = query?.get('pretty');
  const isWanted = pretty ? parseGoBool(pretty) === true : isReader;
  return isWanted && !path.startsWith('/openapi/') && !query?.has('watch');
}

/** Indents the JSON of an answer; other answers stay as they are. */
export async function indented(response: ApiResponse): Promise<ApiResponse> {
  const { headers, body } = response;
  if (!headers['content-type']?.startsWith('application/json')) return response;
  return { ...response, body: indentJson(typeof body === 'string' ? body : await collect(body)) };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const collected: Uint8Array[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected).toString();
}

/** Indents a text of JSON by two spaces. Its numbers and texts stay as they are written. */
export function indentJson(text: string): string {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  const breakLine = (): void => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      const end = endOfText(text, at);
      line += text.slice(at, end + 1);
      at = end;
    } else if (character === '{' || character === '[') {
      line += character;
      depth += 1;
      breakLine();
    } else if (character === '}' || character === ']') {
      depth -= 1;
      if (line.trim() === '' && /[{[]$/.test(lines.at(-1)!)) line = lines.pop()!;
      else breakLine();
      line += character;
    } else if (character === ',') {
      line += character;
      breakLine();
    } else if (character === ':') line += ': ';
    else if (character.trim() !== '') line += character;
  }
  lines.push(line);
  return lines.join('\n');
}
