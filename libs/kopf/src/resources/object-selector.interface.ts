/** One requirement on a label, as Kubernetes' own objects have it. */
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
 * Which objects a handler is for, in terms of the API server, which then sends no others: all requirements must hold.
 *
 * What all handlers of a resource have in common is left to the server; the rest is checked by the operator.
 *
 * @example
 * const selector: ObjectSelectorOptions = { labels: 'app in (web, api), !legacy', fields: { 'status.phase': 'Running' } };
 */
export interface ObjectSelectorOptions {
  /** In the API's syntax (`app=web,tier!=cache,env in (a,b),!legacy`), or as objects have it. */
  readonly labels?: string | LabelExpressions;
  /** In the API's syntax (`metadata.name=web,status.phase!=Failed`), or the values by their paths. */
  readonly fields?: string | Readonly<Record<string, string>>;
}
