import { Injectable, type Type } from '@nestjs/common';
import { OnLog, type LogContext } from 'nestjs-kopf';
import type { LogOptions } from 'nestjs-kopf/decorators';
import type { OperatorHarness } from '../../support/operators/operator.harness.js';

export const PODS = '/api/v1/namespaces/ns/pods';

/** Creates a pod of the namespace `ns`, and waits until it runs. */
export async function runPod(
  harness: OperatorHarness,
  name: string,
  { labels = {}, containers = ['main'], restartPolicy = 'Always' } = {},
): Promise<void> {
  await harness.send('POST', PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { restartPolicy, containers: containers.map((each) => ({ name: each, image: 'none' })) },
  });
  await harness.advance(1);
}

/** An operator that records its calls. */
export function recordingOperator(
  options: LogOptions = {},
  body: (context: LogContext) => unknown = () => undefined,
): { Operator: Type; contexts: LogContext[]; messages: () => string[] } {
  const contexts: LogContext[] = [];
  @Injectable()
  class Operator {
    @OnLog('pods', options)
    note(context: LogContext) {
      contexts.push(context);
      return body(context);
    }
  }
  return { Operator, contexts, messages: () => contexts.map(({ message }) => message) };
}
