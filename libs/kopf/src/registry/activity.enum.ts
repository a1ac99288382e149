/** The occasions of an operator's own life on which handlers are called. */
export const Activity = {
  STARTUP: 'startup',
  CLEANUP: 'cleanup',
  LOGIN: 'login',
  PROBE: 'probe',
} as const;

export type Activity = (typeof Activity)[keyof typeof Activity];
