import type { HandlingPurpose } from '../state/storages.js';

/** Names the meaning of an object's event: the first four call handlers, the others are only logged. */
export const Reason = {
  CREATE: 'create',
  UPDATE: 'update',
  DELETE: 'delete',
  RESUME: 'resume',
  /** Nothing in the essence has changed. */
  NOOP: 'noop',
  /** The object is being deleted, but nothing of ours holds it. */
  FREE: 'free',
  /** The object has been deleted. */
  GONE: 'gone',
} as const;

export type Reason = (typeof Reason)[keyof typeof Reason];

/** Names the purposes of handling in log lines. */
export const PURPOSE_TITLES: Readonly<Record<HandlingPurpose, string>> = {
  create: 'creation',
  update: 'updating',
  delete: 'deletion',
  resume: 'resuming',
};

/** Checks whether handlers are called for the reason. */
export function isHandlingPurpose(reason: string): reason is HandlingPurpose {
  return Object.hasOwn(PURPOSE_TITLES, reason);
}
