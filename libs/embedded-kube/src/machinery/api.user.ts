/** The user or service account that sends a request, as authentication found it. Stands here because every write names it. */
export interface ApiUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Facts that the credentials hold beyond name and groups, by keys such as `authentication.kubernetes.io/pod-name`. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The user of writes that no client has requested: the controllers'. */
export const SYSTEM_USER: ApiUser = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };
