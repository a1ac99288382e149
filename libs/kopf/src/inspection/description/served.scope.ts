import { selectSpecificNamespaces, type NamespacePattern } from '../../resources/namespaces.js';

/** The namespaces that the option `namespaces` selects, as far as RBAC is concerned. */
export class ServedScope {
  /** The namespaces to serve; a single `undefined` stands for the whole cluster, which patterns need as well. */
  readonly namespaces: readonly (string | undefined)[];
  /** Whether there are patterns, so that namespaces have to be watched. */
  readonly hasPatterns: boolean;
  /** Whether the operator serves the whole cluster, without looking at namespaces. */
  readonly isEverywhere: boolean;

  constructor(option: NamespacePattern | readonly NamespacePattern[] | undefined) {
    const patterns = option === undefined ? [] : [option].flat();
    const names = selectSpecificNamespaces(patterns).filter((name) => !name.includes('['));
    this.isEverywhere = option === undefined;
    this.hasPatterns = new Set(patterns).size > names.length;
    this.namespaces = this.isEverywhere || this.hasPatterns ? [undefined] : [...names].sort();
  }

  /** Whether only named namespaces are served, so that roles in these namespaces are enough. */
  get isNamespaced(): boolean {
    return !this.isEverywhere && !this.hasPatterns;
  }
}
