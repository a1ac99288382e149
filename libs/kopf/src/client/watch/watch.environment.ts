import { Injectable } from '@nestjs/common';
import type { Clock, Random } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { InjectOwn, KOPF_CLOCK, KOPF_LOGGER, KOPF_RANDOM } from '../../kopf.tokens.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { KubeApi } from '../api/api.client.js';
import type { WatchSourceOptions } from './watch.requests.js';

/** The environment that all watches of the operator share: the API server, the settings, and other dependencies. */
@Injectable()
export class WatchEnvironment {
  constructor(
    @InjectOwn(KubeApi) readonly api: KubeApi,
    @InjectOwn(KopfSettings) readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) readonly clock: Clock,
    @InjectOwn(KOPF_RANDOM) readonly random: Random,
    @InjectOwn(KOPF_LOGGER) readonly logger: KopfLogger,
  ) {}

  /** The options of a watch, except for the resource and the namespace. */
  get options(): Omit<WatchSourceOptions, 'resource' | 'namespace' | 'onStatus'> {
    const { api, settings, clock, random, logger } = this;
    return { api, settings: settings.watching, clock, random, logger };
  }
}
