/** The activities of an operator, for which handlers are called outside of any object. */
export const Activity = {
  STARTUP: 'startup',
  CLEANUP: 'cleanup',
  LOGIN: 'login',
  PROBE: 'probe',
} as const;

export type Activity = (typeof Activity)[keyof typeof Activity];
