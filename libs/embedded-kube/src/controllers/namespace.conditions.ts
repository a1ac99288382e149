/** A condition of a namespace that is deleted. */
export interface NamespaceCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** The numbers of objects that are left in a namespace. */
export interface NamespaceRemains {
  /** The number of objects by `plural.group`. */
  readonly objects: ReadonlyMap<string, number>;
  /** The number of objects that wait for a finalizer, by the finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** Makes the conditions of a namespace from what is left in it, as the real server does; conditions that stay the same keep their time. */
export function namespaceConditions(
  { objects, finalizers }: NamespaceRemains,
  previous: readonly NamespaceCondition[],
  now: string,
): NamespaceCondition[] {
  const condition = (type: string, holds: boolean, reason: string, message: string): NamespaceCondition => {
    const status = holds ? 'True' : 'False';
    const before = previous.find((each) => each.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
    return { lastTransitionTime, message, reason, status, type };
  };
  return [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      false,
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    condition(
      'NamespaceDeletionContentFailure',
      false,
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    objects.size
      ? condition(
          'NamespaceContentRemaining',
          true,
          'SomeResourcesRemain',
          `Some resources are remaining: ${list(objects, (name, count) => `${name} has ${count} resource instances`)}`,
        )
      : condition('NamespaceContentRemaining', false, 'ContentRemoved', 'All content successfully removed'),
    finalizers.size
      ? condition(
          'NamespaceFinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${list(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
        )
      : condition(
          'NamespaceFinalizersRemaining',
          false,
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ),
  ];
}

function list(counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string {
  return [...counts.keys()]
    .sort()
    .map((name) => text(name, counts.get(name)!))
    .join(', ');
}
