/** The kinds of enhancers, which is Nest's word for what is put around a method. */
export type EnhancerKind = 'guards' | 'interceptors' | 'pipes' | 'filters';

export const ENHANCER_KINDS: readonly EnhancerKind[] = ['guards', 'interceptors', 'pipes', 'filters'];

/** The global enhancers of the application that are for handlers, too: all, none, or those of some kinds. */
export type GlobalEnhancers = boolean | readonly EnhancerKind[];

/** Whether there are enhancers, by their kind. */
export type Enhancers = Readonly<Record<EnhancerKind, boolean>>;

/** Evaluates a condition for each kind of enhancers. */
export function eachKind(has: (kind: EnhancerKind) => boolean): Enhancers {
  return Object.fromEntries(ENHANCER_KINDS.map((kind) => [kind, has(kind)])) as Record<EnhancerKind, boolean>;
}
