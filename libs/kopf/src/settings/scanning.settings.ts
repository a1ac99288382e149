import { IsBoolean } from 'class-validator';

/** How the cluster's own setup is observed. */
export class ScanningSettings {
  /** Whether namespaces and resources are looked up once at the start only, not observed. @default false */
  @IsBoolean() disabled = false;
}
