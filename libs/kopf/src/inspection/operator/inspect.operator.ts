import type { INestApplicationContext } from '@nestjs/common';
import { describeRunningOperator } from '../description/operator.description.js';
import { OperatorSource } from './running.operator.js';
import type { SourceOptions, SourceServices } from './inspected.services.js';

/** Makes the source of an operator of an application that runs. */
export function createSource(
  application: Pick<INestApplicationContext, 'get'>,
  services: SourceServices,
  options: Omit<SourceOptions, 'describe'>,
): OperatorSource {
  const describe = () => describeRunningOperator(application, services.operator.name);
  return new OperatorSource(services, { ...options, describe });
}
