import { IsOptional } from 'class-validator';
import { CustomResource, Description, IntOrString } from 'nestjs-kopf/crd';

/** Describes the pod that users ask for. */
export class SimpleDeploymentSpec {
  @Description('How long the pod runs, in seconds. By default, it ends at once.')
  @IsOptional()
  @IntOrString()
  readonly sleepytime?: string | number;
}

/** The resource of simple deployments; its CRD is generated. */
@CustomResource({
  group: 'example.org',
  shortNames: ['simdep', 'sd'],
  spec: SimpleDeploymentSpec,
  printerColumns: [
    {
      name: 'Children',
      jsonPath: '.status.create.children',
      description: 'The pod that the operator has made.',
    },
  ],
})
export class SimpleDeployment {
  readonly spec: SimpleDeploymentSpec;
}
