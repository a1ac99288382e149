import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Random } from 'kube-common';

/** The handler of a request that was let in. */
export type GatedHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** The parameter of the address that is opened first. */
const PARAMETER = 'token';

/** The length of the token, in bytes. */
const TOKEN_LENGTH = 24;

/** Makes a text that cannot be guessed. */
export function createToken(random: Random): string {
  return Buffer.from(Array.from({ length: TOKEN_LENGTH }, () => Math.floor(random.next() * 256))).toString('base64url');
}

/** Returns the address that a console has on this machine. */
export function addressOf(port: number, token: string): string {
  return `http://127.0.0.1:${port}/?${PARAMETER}=${token}`;
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * The gate of the console, which lets in browsers that have opened the address that the command has printed: its token becomes a cookie,
 * which the browser does not send for other sites. The names of the host are checked, too, so that no other site can let its own name
 * resolve to this machine.
 */
export class ConsoleGate {
  private readonly cookie: string;
  private readonly hosts: readonly string[];

  /**
   * @param port of the server, by which the cookies of several consoles on one machine differ.
   * @param token a random text that cannot be guessed.
   */
  constructor(
    private readonly port: number,
    private readonly token: string,
  ) {
    this.cookie = `kopf-console-${port}`;
    this.hosts = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${port}`);
  }

  /** The address to open in a browser. */
  get address(): string {
    return addressOf(this.port, this.token);
  }

  /** Answers a request itself, unless it is to be let in. */
  handle(request: IncomingMessage, response: ServerResponse, handler: GatedHandler): void {
    const { host = '', cookie = '' } = request.headers;
    if (!this.hosts.includes(host.toLowerCase())) {
      return refuse(response, 403, 'The console answers only under the address that the command has printed.');
    }
    const url = new URL(request.url ?? '/', `http://${host}`);
    const given = url.searchParams.get(PARAMETER);
    if (given !== null && request.method === 'GET') return this.welcome(given, url, response);
    const cookies = cookie.split(';').map((each) => each.trim());
    const own = cookies.find((each) => each.startsWith(`${this.cookie}=`));
    if (own !== undefined && isSame(own.slice(this.cookie.length + 1), this.token)) return handler(request, response);
    refuse(response, 401, 'Open the address that the command has printed, with its token.');
  }

  /**
   * Sets the cookie, and has the browser open the address once more without the token. A redirection would not do: after a link from another
   * site, browsers do not send the cookie with it.
   */
  private welcome(given: string, url: URL, response: ServerResponse): void {
    if (!isSame(given, this.token)) return refuse(response, 401, 'The token is that of another run of the command.');
    url.searchParams.delete(PARAMETER);
    const query = url.searchParams.toString();
    // The path comes from the request, so it must neither lead to another host nor end the attribute.
    const target = encodeURI(`/${url.pathname.replace(/^\/+/, '')}${query && `?${query}`}`).replace(
      /["'<>&]/g,
      escapeMarkup,
    );
    const attributes = 'Path=/; HttpOnly; SameSite=Strict';
    response.writeHead(200, { ...HEADERS, 'set-cookie': `${this.cookie}=${this.token}; ${attributes}` });
    response.end(`<!doctype html><meta http-equiv="refresh" content="0;url=${target}"><title>kopf console</title>`);
  }
}

function escapeMarkup(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

/** Compares in a time that does not depend on how much is equal. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a, b);
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' }).end(`${sentence}\n`);
}
