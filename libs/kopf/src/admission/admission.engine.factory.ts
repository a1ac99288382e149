import { Inject, Injectable } from '@nestjs/common';
import { Vault } from '../client/vault/vault.js';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { AdmissionEngine, type AdmissionSession } from './admission.engine.js';
import { ReviewMemories } from './review/review.memories.js';
import { ReviewDispatcher } from './review/review.dispatcher.js';
import { AdmissionProcessor } from './review/admission.processor.js';
import { AdmissionServers } from './servers/admission.servers.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The factory of the engine that runs admission in a session. */
@Injectable()
export class AdmissionEngineFactory {
  constructor(
    @InjectOwn(ReviewDispatcher) private readonly dispatcher: ReviewDispatcher,
    @InjectOwn(AdmissionServers) private readonly servers: AdmissionServers,
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(AdmissionProcessor) private readonly processor: AdmissionProcessor,
    @Inject(ReviewMemories) private readonly memories: ReviewMemories,
    @InjectOwn(Vault) private readonly vault: Vault,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {}

  create(session: AdmissionSession): AdmissionEngine {
    const { dispatcher, servers, registry, processor, memories, vault, environment } = this;
    const { api, settings, clock, random, logger } = environment;
    return new AdmissionEngine({
      ...session,
      dispatcher,
      servers,
      registry,
      processor,
      memories,
      freshness: memories.freshness,
      settings: settings.admission,
      watching: settings.watching,
      api,
      vault,
      clock,
      random,
      logger,
    });
  }
}
