import { Inject, Injectable } from '@nestjs/common';
import type { AdmissionEngine } from '../admission/admission.engine.js';
import { ReviewDispatcher } from '../admission/review/review.dispatcher.js';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import { ConversionEngine } from './conversion.engine.js';
import { ConversionGraphs } from './conversion.graphs.js';
import { ConversionProcessor } from './conversion.processor.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The factory of the engine that runs conversions in a session. */
@Injectable()
export class ConversionEngineFactory {
  constructor(
    @InjectOwn(ConversionGraphs) private readonly graphs: ConversionGraphs,
    @InjectOwn(ConversionProcessor) private readonly processor: ConversionProcessor,
    @InjectOwn(ReviewDispatcher) private readonly dispatcher: ReviewDispatcher,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {}

  /** @param admission the engine that serves the reviews. */
  create(admission: AdmissionEngine): ConversionEngine {
    const { graphs, processor, dispatcher, environment } = this;
    return new ConversionEngine({ graphs, processor, dispatcher, admission, environment });
  }
}
