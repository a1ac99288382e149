import { badRequest } from '../errors/status.errors.js';

/** Where a list goes on: at which version, and after which object. */
export interface ContinueToken {
  /** The version of the list; -1 for the newest, where the list's own is gone. */
  readonly revision: number;
  /** The key (`namespace/name`) of the last object that was given. */
  readonly after: string;
}

/** The token in the server's form: JSON in unpadded base64. */
export function encodeContinueToken({ revision, after }: ContinueToken): string {
  const start = `${after}\u0000`;
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

/** @throws StatusError 400 if it is no token of this server */
export function decodeContinueToken(text: string): ContinueToken {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
    const { v, rv, start } = token;
    if (v !== 'meta.k8s.io/v1') throw new Error(`server sent a continue token of an unknown version ${String(v)}`);
    if (typeof rv !== 'number' || typeof start !== 'string' || !start) throw new Error('incorrect encoded start');
    return { revision: rv, after: start.replace(/\u0000$/, '') };
  } catch (error) {
    throw badRequest(`invalid continue token: continue key is not valid: ${(error as Error).message}`);
  }
}
