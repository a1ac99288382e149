import { Type } from 'class-transformer';
import { IsDefined, IsIn, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import type { KubeObject } from 'nestjs-kopf';
import { CustomResource, Description, Field } from 'nestjs-kopf/crd';

/** The resource of load tests, as requests name it. */
export const LOAD_TESTS = 'loadtests.example.org';

/** Describes the requests of each pod. */
export class LoadTestRequests {
  @Description('The method of the requests. By default, it is GET.')
  @IsOptional()
  @IsString()
  readonly method?: string;

  @Description('The name of the service that gets the requests.')
  @IsString()
  readonly serviceName: string;

  @Description('The path of the requests. By default, it is /.')
  @IsOptional()
  @IsString()
  readonly path?: string;

  @Description('How many requests each pod makes. By default, it is 1.')
  @IsOptional()
  @IsInt()
  @Min(1)
  readonly repeat?: number;
}

/** Describes the load that users ask for. */
export class LoadTestSpec {
  @Description('The number of pods that make requests. By default, it is 1.')
  @IsOptional()
  @IsInt()
  @Min(1)
  readonly replicas?: number;

  @IsDefined()
  @ValidateNested()
  @Type(() => LoadTestRequests)
  readonly test: LoadTestRequests;
}

export type LoadTestState = 'pending' | 'executing' | 'failed' | 'finished';

/** Reports the state of the load test. */
export class LoadTestStatus {
  @IsOptional()
  @IsIn(['pending', 'executing', 'failed', 'finished'])
  readonly state?: LoadTestState;

  @Description('The phases of the pods by their names.')
  @IsOptional()
  @Field({ mapOf: String })
  readonly children?: Readonly<Record<string, string>>;
}

/** The resource of load tests, as handlers name it; its CRD is generated. */
@CustomResource({
  group: 'example.org',
  kind: 'LoadTest',
  shortNames: ['ld'],
  spec: LoadTestSpec,
  status: LoadTestStatus,
  subresources: { status: true },
  printerColumns: [
    { name: 'Children', jsonPath: '.status.children', description: 'The phases of the pods.' },
    { name: 'State', jsonPath: '.status.state', description: 'pending, executing, failed, or finished.' },
  ],
})
export class LoadTestResource {
  readonly spec: LoadTestSpec;
  readonly status?: LoadTestStatus;
}

export interface LoadTest extends KubeObject<LoadTestSpec, LoadTestStatus> {
  readonly spec: LoadTestSpec;
}

/**
 * Concludes the state of a load test from the phases of its pods: one failed pod fails it, and all pods must have succeeded for
 * it to be finished.
 *
 * @returns `undefined` while it goes on.
 */
export function conclude(phases: readonly string[], replicas: number): LoadTestState | undefined {
  if (phases.some((phase) => phase === 'Failed' || phase === 'Lost')) return 'failed';
  return phases.filter((phase) => phase === 'Succeeded').length >= replicas ? 'finished' : undefined;
}
