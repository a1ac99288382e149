import type { INestApplicationContext } from '@nestjs/common';
import { describeRunningOperator } from '../../manifests/operator/operator.description.js';
import { OperatorSource } from './operator.source.js';
import type { SourceOptions, SourceServices } from './source.services.js';

/** Makes the source of an operator of an application that runs. */
export function createSource(
  application: Pick<INestApplicationContext, 'get'>,
  services: SourceServices,
  options: Omit<SourceOptions, 'describe'>,
): OperatorSource {
  const describe = () => describeRunningOperator(application, services.operator.name);
  return new OperatorSource(services, { ...options, describe });
}
