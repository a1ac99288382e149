import type { DynamicModule } from '@nestjs/common';
import { BasicTracerProvider, type IdGenerator } from '@opentelemetry/sdk-trace-base';
import { KOPF_RANDOM, type Random } from 'nestjs-kopf';
import { KopfTracingModule } from 'nestjs-kopf/tracing';

/** Traces an operator whose attempts are linked over restarts: the progress of its handlers has identities, which its randomness decides on. */
export function tracing(): DynamicModule {
  return KopfTracingModule.forRootAsync({
    inject: [KOPF_RANDOM],
    useFactory: (random: Random) => ({
      storeTraceparent: true,
      tracerProvider: new BasicTracerProvider({ idGenerator: identitiesOf(random) }),
    }),
  });
}

function identitiesOf(random: Random): IdGenerator {
  // None of them is all zeros, which would be no identity.
  const draw = (digits: number): string =>
    `1${Array.from({ length: digits - 1 }, () => Math.floor(random.next() * 16).toString(16)).join('')}`;
  return { generateTraceId: () => draw(32), generateSpanId: () => draw(16) };
}
