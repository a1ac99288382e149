import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import type { KubeObject } from 'nestjs-kopf';
import { CustomResource, Description, Field, PreserveUnknownFields } from 'nestjs-kopf/crd';

/** The resource of the claims, as requests name it. */
export const CLAIMS = 'ephemeralvolumeclaims.kopf.dev';

/** Selects pods by their labels. */
export class PodSelector {
  @Description('The labels that a pod must have.')
  @IsOptional()
  @Field({ mapOf: String })
  matchLabels?: Record<string, string>;
}

/** Describes the volume for pods that a user wants; it is deleted when they have finished. */
export class ClaimSpec {
  @Description('The size of the volume: 1Gi. Can be increased later.')
  @IsOptional()
  @IsString()
  size?: string;

  @Description("The class of the volume. By default, it is the cluster's default class.")
  @IsOptional()
  @IsString()
  storageClassName?: string;

  @Description('The pods that the volume is for. Without a selector, the volume stays until the claim is deleted.')
  @IsOptional()
  @ValidateNested()
  @Type(() => PodSelector)
  podSelector?: PodSelector;

  @Description('Seconds for which the volume stays at least, so that the pods can start. By default, none.')
  @IsOptional()
  @IsInt()
  @Min(0)
  waitAtLeast?: number;

  @Description(
    'Seconds for which the volume waits to be used at most, in case that no pod can start. By default, there is no limit.',
  )
  @IsOptional()
  @IsInt()
  @Min(0)
  waitAtMost?: number;
}

/** Reports how the selected pods use the volume. */
export class ClaimUsage {
  @Description('It waits for the first pod, is being used, or is not needed any more.')
  @IsIn(['Waiting', 'InUse', 'Finished', 'Expired'])
  phase: 'Waiting' | 'InUse' | 'Finished' | 'Expired';

  @Description('Is true once any pod has run.')
  @IsBoolean()
  used: boolean;
}

/** Reports the state of the claim. */
export class ClaimStatus {
  @Description('The result of the creation.')
  @IsOptional()
  @PreserveUnknownFields()
  create?: { 'pvc-name'?: string };

  @IsOptional()
  @ValidateNested()
  @Type(() => ClaimUsage)
  usage?: ClaimUsage;
}

/** The resource of the claims, as handlers name it; its CRD is generated. */
@CustomResource({
  group: 'kopf.dev',
  shortNames: ['evcs', 'evc'],
  spec: ClaimSpec,
  status: ClaimStatus,
  printerColumns: [
    { name: 'Size', jsonPath: '.spec.size' },
    { name: 'Volume Claim', jsonPath: '.status.create.pvc-name' },
    { name: 'Usage', jsonPath: '.status.usage.phase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})
@Description('A volume for pods, which goes when they have finished.')
export class EphemeralVolumeClaim {
  spec: ClaimSpec;
  status?: ClaimStatus;
}

/** A claim as the API server has it. */
export type Claim = KubeObject<ClaimSpec, ClaimStatus>;
