import { KnownResources } from '../../description/known.resources.js';
import { parseSelector } from '../../../resources/selectors.js';
import { qualifiedName, type Resource } from '../../../resources/resources.js';
import type { InspectionSettings, InspectedServices } from '../inspected.services.js';
import { GrantedRules } from '../answers/granted.rules.js';

/** The milliseconds for which the rules of the API server are reused. */
const FRESHNESS = 60_000;

/** The most namespaces of which the rules are kept. */
const MOST = 100;

/**
 * The resources of which the operator creates objects, as its classes declare by `@Needs()`. Children are searched among their objects,
 * too, if the operator may list them.
 */
export class MadeResources {
  private readonly rules = new Map<
    string | undefined,
    { readonly at: number; readonly rules: Promise<GrantedRules> }
  >();

  constructor(
    private readonly services: InspectedServices,
    private readonly options: Pick<InspectionSettings, 'describe'>,
  ) {}

  /** Returns the resources, without those that are watched. */
  async find(
    watched: readonly Resource[],
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly Resource[]> {
    const known = new KnownResources([], watched);
    const names = this.options
      .describe()
      .needs.flatMap(({ permissions }) =>
        Object.entries(permissions).flatMap(([name, verbs]) => (isMaking(name, verbs) ? [name] : [])),
      );
    const made = [...new Set(names)].flatMap((name) => known.find(parseSelector([name])).resources);
    const others = made.filter((each) => !watched.some((other) => qualifiedName(other) === qualifiedName(each)));
    if (others.length === 0) return [];
    const granted = await this.review(namespace, signal);
    return others.filter(
      ({ group, plural }) => granted.check({ verb: 'list', group, resource: plural, namespace }) === true,
    );
  }

  private review(namespace: string | undefined, signal: AbortSignal): Promise<GrantedRules> {
    const now = this.services.clock.monotonic();
    const kept = this.rules.get(namespace);
    if (kept && now - kept.at < FRESHNESS) return kept.rules;
    const rules = GrantedRules.review(this.services.api, new Set([namespace]), signal);
    if (this.rules.size >= MOST) this.rules.clear();
    this.rules.set(namespace, { at: now, rules });
    // A viewer that disconnects must not abort the request of other viewers.
    rules.catch(() => this.rules.delete(namespace));
    return rules;
  }
}

function isMaking(name: string, verbs: readonly string[]): boolean {
  return !name.includes('/') && (verbs.includes('create') || verbs.includes('patch'));
}
