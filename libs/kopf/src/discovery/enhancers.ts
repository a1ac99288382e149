/** The kinds of enhancers, as Nest calls what is around a method. */
export type EnhancerKind = 'guards' | 'interceptors' | 'pipes' | 'filters';

export const ENHANCER_KINDS: readonly EnhancerKind[] = ['guards', 'interceptors', 'pipes', 'filters'];

/** Which of the application's global enhancers are for handlers, too: all, none, or those of some kinds. */
export type GlobalEnhancers = boolean | readonly EnhancerKind[];

/** Tells of each kind of enhancers whether there are any. */
export type Enhancers = Readonly<Record<EnhancerKind, boolean>>;

/** Asks for each kind of enhancers whether there are any. */
export function eachKind(has: (kind: EnhancerKind) => boolean): Enhancers {
  return Object.fromEntries(ENHANCER_KINDS.map((kind) => [kind, has(kind)])) as Record<EnhancerKind, boolean>;
}
