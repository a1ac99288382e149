import type { ModuleMetadata } from '@nestjs/common';
import type { TestingModuleBuilder } from '@nestjs/testing';
import type { KopfModuleOptions } from '../kopf.options.js';
import type { TestManifest } from './server/test-manifests.js';

/** The options of {@link KopfTest.create}. */
export interface KopfTestOptions extends Pick<ModuleMetadata, 'imports' | 'controllers' | 'providers'> {
  /** The options of `KopfModule.forRoot()`, which is added unless one of the `imports` brings it. */
  readonly kopf?: Omit<KopfModuleOptions, 'clock' | 'random' | 'credentials'>;
  /** Files and folders with objects in YAML or JSON, which are there before the operator starts: CRDs, roles. */
  readonly manifests?: string | readonly string[];
  /** Objects, or texts in YAML or JSON, which are there before the operator starts, after the manifests. */
  readonly objects?: TestManifest;
  /**
   * Changes the module before it is compiled, each time when the operator starts: replaces providers, guards, and others.
   *
   * @example
   * override: (builder) => builder.overrideProvider(VolumeService).useValue(volumes)
   */
  readonly override?: (builder: TestingModuleBuilder) => unknown;
  /**
   * Whether time passes only while the test waits, or as it does outside of tests. On a real cluster, it is always real.
   *
   * @default 'virtual'
   */
  readonly time?: 'virtual' | 'real';
  /** Whether the operator is started at once; otherwise {@link KopfTest.start} does. @default true */
  readonly start?: boolean;
  /** The token whose requests the operator's are, of the `users` of the embedded server. @default the administrator's */
  readonly token?: string;
  /** Options of the embedded server, as `EmbeddedKube.start()` takes them: `{ pods: true }`. */
  readonly kube?: object;
  /**
   * A real cluster to run the test on, in a separate namespace: the path of a kubeconfig, or its text.
   *
   * @default the environment's KOPF_TEST_KUBECONFIG; without it, a server in the process
   */
  readonly kubeconfig?: string;
}

/** The options of how long {@link KopfTest.handled} and others wait. */
export interface WaitOptions {
  /** Seconds for which is waited at most. @default 86400 in virtual time, 30 in real time */
  readonly within?: number;
}
