import { ApiClientError, ApiNotFoundError } from './api.errors.js';
import { LoginError } from '../vault/connection-info.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { Resource } from '../../resources/resources.js';
import type { KubeApi } from './api.client.js';
import {
  isAggregated,
  readAggregated,
  readPlain,
  type AggregatedDiscovery,
  type PlainGroup,
  type PlainResources,
} from './discovery.documents.js';

/** The options of a scan of the API's resources. */
export interface ScanOptions {
  /** The groups to scan; the core group is an empty string. @default all */
  readonly groups?: readonly string[];
  readonly signal?: AbortSignal;
  /** Called with the error of each failed request that is repeated. */
  readonly onRetry?: (error: unknown) => void;
}

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/**
 * The client of discovery, which finds the kinds that the API server serves: in two requests if the server aggregates them, otherwise in
 * one request for each version of each group.
 */
export class DiscoveryClient {
  private readonly failing = new Set<string>();

  constructor(
    private readonly api: KubeApi,
    private readonly logger: KopfLogger,
  ) {}

  /**
   * The groups, with their versions, that the last scans could not read, as their servers do not answer. Their resources are unknown until
   * a later scan. There is one warning when this begins, and one line when it ends.
   */
  get unavailable(): readonly string[] {
    return [...this.failing];
  }

  /** The resources that the last scan of all groups has found, by any client of the same connections; empty before the first scan. */
  get known(): readonly Resource[] {
    return this.api.knownResources ?? [];
  }

  /**
   * Scans the resources. A group that cannot be read is skipped.
   *
   * @throws ApiError, ConnectionError, LoginError if the list of groups cannot be read after all retries.
   */
  async scan({ groups, ...options }: ScanOptions = {}): Promise<Resource[]> {
    const resources = await (groups ? this.scanGroups(groups, options.signal) : this.scanAll(options));
    this.api.redactor.learn(resources);
    if (!groups) this.api.knownResources = resources;
    return resources;
  }

  private async scanAll(options: ScanOptions): Promise<Resource[]> {
    const [core, others] = await Promise.all([this.scanRoot('/api', options), this.scanRoot('/apis', options)]);
    return [...core, ...others];
  }

  private async scanRoot(path: '/api' | '/apis', { signal, onRetry }: ScanOptions): Promise<Resource[]> {
    const document = await this.api.get<AggregatedDiscovery | { versions?: string[]; groups?: PlainGroup[] }>(path, {
      signal,
      onRetry,
      headers: { accept: AGGREGATED },
    });
    if (isAggregated(document)) return this.readAll(document);
    const groups = path === '/api' ? [createCoreGroup(document.versions ?? [])] : (document.groups ?? []);
    return this.scanVersions(groups, signal);
  }

  private readAll({ items = [] }: AggregatedDiscovery): Resource[] {
    return items.flatMap((group) => {
      for (const { version, freshness } of group.versions ?? []) {
        const name = group.metadata?.name ? `${group.metadata.name}/${version}` : version;
        if (freshness === 'Stale') this.reportFailing(name, 'its server does not answer');
        else this.reportWorking(name);
      }
      return readAggregated(group);
    });
  }

  private async scanGroups(names: readonly string[], signal?: AbortSignal): Promise<Resource[]> {
    const found = await Promise.all(
      names.map(async (name): Promise<PlainGroup[]> => {
        try {
          if (name) return [await this.api.get<PlainGroup>(`/apis/${encodeURIComponent(name)}`, { signal })];
          const { versions } = await this.api.get<{ versions: string[] }>('/api', { signal });
          return [createCoreGroup(versions)];
        } catch (error) {
          if (error instanceof ApiNotFoundError) return [];
          throw error;
        }
      }),
    );
    return this.scanVersions(found.flat(), signal);
  }

  private async scanVersions(groups: readonly PlainGroup[], signal?: AbortSignal): Promise<Resource[]> {
    const resources = await Promise.all(
      groups.flatMap(({ name, versions, preferredVersion }) =>
        versions.map(({ version }) =>
          this.scanVersion(name, version, !name || version === preferredVersion?.version, signal),
        ),
      ),
    );
    return resources.flat();
  }

  /** Scans one version of a group, without retries, so that one group does not delay the others. The next scan reads it again. */
  private async scanVersion(
    group: string,
    version: string,
    preferred: boolean,
    signal?: AbortSignal,
  ): Promise<Resource[]> {
    const name = group ? `${group}/${version}` : version;
    try {
      const path = group ? `/apis/${name}` : `/api/${name}`;
      const document = await this.api.get<PlainResources>(path, { signal, retries: false });
      this.reportWorking(name);
      return readPlain(group, version, preferred, document);
    } catch (error) {
      if (signal?.aborted || error instanceof LoginError) throw error;
      // The version was removed after the groups were listed.
      if (error instanceof ApiNotFoundError) this.failing.delete(name);
      else this.reportFailing(name, (error as Error).message, error instanceof ApiClientError);
      return [];
    }
  }

  private reportFailing(name: string, reason: string, isRejected = false): void {
    if (this.failing.has(name)) return;
    this.failing.add(name);
    const hint = isRejected ? '' : ' It is looked up again later.';
    this.logger.warn(`The resources of ${name} are not known: ${reason}.${hint}`);
  }

  private reportWorking(name: string): void {
    if (this.failing.delete(name)) this.logger.log(`The resources of ${name} are known again.`);
  }
}

function createCoreGroup(versions: readonly string[]): PlainGroup {
  return { name: '', versions: versions.map((version) => ({ version })) };
}
