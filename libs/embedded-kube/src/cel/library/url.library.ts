import type { CelDeclaration } from '../checking/cel.functions.js';
import { CelEvaluationError } from '../values/cel.error.js';
import { type CelType, struct } from '../values/cel.type.js';
import { CelOpaque, EntryMap } from '../values/cel.value.js';

/** The type of URLs in expressions. */
export const URL_TYPE: CelType = struct('kubernetes.URL');

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: string;
}

class CelUrl extends CelOpaque {
  override readonly type = URL_TYPE;

  constructor(
    readonly text: string,
    readonly parts: UrlParts,
  ) {
    super();
  }

  override equals(other: CelUrl): boolean {
    return this.text === other.text;
  }
}

/** Reads an absolute URL or an absolute path, as Go's `url.ParseRequestURI` does; returns the reason if it is none. */
export function readUrl(text: string): UrlParts | string {
  const shown = `parse ${JSON.stringify(text)}`;
  if (text === '') return `${shown}: empty url`;
  if ([...text].some((character) => character < ' ' || character === '\x7f')) {
    return `${shown}: net/url: invalid control character in URL`;
  }
  if (text.startsWith('/')) return pathOnly(text);
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text);
  if (!match) return text.startsWith(':') ? `${shown}: missing protocol scheme` : `${shown}: invalid URI for request`;
  const [, scheme, rest] = match;
  if (!rest!.startsWith('/')) return `${shown}: invalid URI for request`;
  const authority = /^\/\/([^/?]*)(.*)$/s.exec(rest!);
  if (!authority) return { ...pathOnly(rest!), scheme: scheme!.toLowerCase() };
  const host = authority[1]!.replace(/^.*@/, '');
  const port = /:(\d*)$/.exec(host)?.[1] ?? '';
  const bare = host.replace(/:\d*$/, '');
  if (/[ <>"]/.test(host)) return `${shown}: invalid character ${JSON.stringify(/[ <>"]/.exec(host)![0])} in host name`;
  if (bare.includes(':') && !/^\[.*\]$/.test(bare)) {
    return `${shown}: invalid port ${JSON.stringify(host.slice(host.lastIndexOf(':')))} after host`;
  }
  const path = pathOnly(authority[2]!);
  return { ...path, scheme: scheme!.toLowerCase(), host, port, hostname: bare.replace(/^\[(.*)\]$/, '$1') };
}

function pathOnly(text: string): UrlParts {
  const question = text.indexOf('?');
  const path = question < 0 ? text : text.slice(0, question);
  const query = question < 0 ? '' : text.slice(question + 1);
  return { scheme: '', host: '', hostname: '', port: '', path: escapePath(path), query };
}

function escapePath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@!'()*%[\]]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

function url(text: string): CelUrl {
  const parts = readUrl(text);
  if (typeof parts === 'string')
    throw new CelEvaluationError(`URL parse error during conversion from string: ${parts}`);
  return new CelUrl(text, parts);
}

function query({ parts }: CelUrl): EntryMap {
  const values = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(parts.query)) values.set(key, [...(values.get(key) ?? []), value]);
  return new EntryMap(values);
}

const TYPE = '&kubernetes.URL';

/** Kubernetes' functions on URLs. */
export const URL_LIBRARY: readonly CelDeclaration[] = [
  ['string_to_url', `url(string) ${TYPE}`, url],
  ['is_url_string', 'isURL(string) bool', (text: string) => typeof readUrl(text) !== 'string'],
  ['url_get_scheme', `${TYPE}.getScheme() string`, ({ parts }: CelUrl) => parts.scheme],
  ['url_get_host', `${TYPE}.getHost() string`, ({ parts }: CelUrl) => parts.host],
  ['url_get_hostname', `${TYPE}.getHostname() string`, ({ parts }: CelUrl) => parts.hostname],
  ['url_get_port', `${TYPE}.getPort() string`, ({ parts }: CelUrl) => parts.port],
  ['url_get_escaped_path', `${TYPE}.getEscapedPath() string`, ({ parts }: CelUrl) => parts.path],
  ['url_get_query', `${TYPE}.getQuery() map(string, list(string))`, query],
];
