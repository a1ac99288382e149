/** Requires something of a label, in the form of Kubernetes' own objects. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** For `In` and `NotIn`: at least one. */
  readonly values?: readonly string[];
}

/** Requirements on labels as Kubernetes' own objects have them; all must hold. */
export interface LabelExpressions {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelExpression[];
}

/**
 * Selects the objects that a handler is for, in terms of the API server, which then sends no others: all requirements must
 * hold.
 *
 * The API server evaluates what all handlers of a resource have in common; the operator checks the rest.
 *
 * @example
 * const selector: ObjectSelectorOptions = { labels: 'app in (web, api), !legacy', fields: { 'status.phase': 'Running' } };
 */
export interface ObjectSelectorOptions {
  /**
   * Restricts the objects by labels, in the API's syntax (`app=web,tier!=cache,env in (a,b),!legacy`), or in the form of
   * Kubernetes' own objects.
   */
  readonly labels?: string | LabelExpressions;
  /**
   * Restricts the objects by fields, in the API's syntax (`metadata.name=web,status.phase!=Failed`), or by values for their
   * paths.
   */
  readonly fields?: string | Readonly<Record<string, string>>;
}
