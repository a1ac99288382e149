import { hostname, userInfo } from 'node:os';
import type { Clock, Random } from 'kube-common';

const ALPHABET = 'abcdefhijklmnopqrstuvwxyz0123456789';

/** The environment of the operator's process; replaced in tests. */
export interface HostEnvironment {
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly user?: () => string;
  readonly host?: () => string;
}

/**
 * Determines the identity by which other operators know this one: the name of the pod, if `POD_ID` has it; otherwise the user, the host,
 * the time, and three random characters: `me@laptop/20201231235959/a1b`.
 */
export function detectIdentity(clock: Clock, random: Random, hostEnvironment: HostEnvironment = {}): string {
  const { variables = process.env } = hostEnvironment;
  if (variables.POD_ID) return variables.POD_ID;
  const now = new Date(clock.now()).toISOString().slice(0, 19).replace(/[-:T]/g, '');
  const suffix = Array.from({ length: 3 }, () => ALPHABET[Math.floor(random.next() * ALPHABET.length)]).join('');
  return `${personalIdentity(hostEnvironment)}/${now}/${suffix}`;
}

/** Determines the identity of a person who pauses or resumes operators: `me@laptop`. */
export function personalIdentity({ user = userName, host = hostname }: HostEnvironment = {}): string {
  return `${user()}@${host()}`;
}

/** Returns the name of the user. Containers can run under a number without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER ?? process.env.LOGNAME ?? 'unknown';
  }
}
