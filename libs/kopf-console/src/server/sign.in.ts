import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from 'kube-common';
import { ConsoleError } from '../console.error.js';
import type { ConsoleViewer } from '../console.operator.js';
import { headerOf, type ConsoleRequest } from './console.request.js';

/** Returns the viewer with this name and this password; `undefined` if there is none. */
export type ConsolePasswordCheck = (
  user: string,
  password: string,
) => ConsoleViewer | undefined | Promise<ConsoleViewer | undefined>;

/** The passwords by the names of the users, or a function that checks a password. */
export type ConsoleSignIn = Readonly<Record<string, string>> | ConsolePasswordCheck;

/** Has browsers ask for a name and a password. */
export const CHALLENGE: Readonly<Record<string, string>> = {
  'www-authenticate': 'Basic realm="Kopf console", charset="UTF-8"',
};

/** The milliseconds for which a password that was checked is not checked again: a page makes many requests, and a check can be slow. */
const VALIDITY = 60_000;

/** The most passwords that are remembered as checked. */
const MOST_REMEMBERED = 100;

/** The sign-in of viewers by a name and a password, which browsers ask for and send with each request: basic authentication. */
export class SignIn {
  private readonly check: ConsolePasswordCheck;
  /** The viewers whose passwords were checked, by the hashes of what they have sent. */
  private readonly checked = new Map<string, { readonly viewer: ConsoleViewer; readonly until: number }>();

  constructor(
    rule: ConsoleSignIn,
    private readonly clock: Clock,
  ) {
    this.check = typeof rule === 'function' ? rule : (user, password) => findUser(rule, user, password);
  }

  /** Finds the viewer who has sent a request. @throws ConsoleError 401 if the name or the password is missing or wrong. */
  async admit(request: Pick<ConsoleRequest, 'raw'>): Promise<ConsoleViewer> {
    const header = headerOf(request, 'authorization') ?? '';
    const key = hash(header).toString('base64');
    const now = this.clock.monotonic();
    const known = this.checked.get(key);
    if (known && known.until > now) return known.viewer;
    this.checked.delete(key);
    const [user, password] = readCredentials(header);
    const viewer = user === '' ? undefined : await this.check(user, password);
    if (!viewer) throw new ConsoleError(401, 'Sign in with a name and a password.');
    if (this.checked.size >= MOST_REMEMBERED) this.checked.clear();
    this.checked.set(key, { viewer, until: now + VALIDITY });
    return viewer;
  }
}

function findUser(
  passwords: Readonly<Record<string, string>>,
  user: string,
  password: string,
): ConsoleViewer | undefined {
  const expected = Object.hasOwn(passwords, user) ? passwords[user] : '';
  // The comparison takes the same time for a name that does not exist.
  const isRight = timingSafeEqual(hash(expected), hash(password));
  return isRight && expected !== '' ? { user } : undefined;
}

/** Reads the name and the password of `Basic …`; both are empty if there are none. */
function readCredentials(header: string): readonly [user: string, password: string] {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
  const [, user = '', password = ''] = /^([^:]*):([^]*)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return [user, password];
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
