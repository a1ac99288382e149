import type { OperatorDescription } from 'nestjs-kopf/tooling';
import type { GeneratedObject } from '../output/yaml.format.js';
import { accountOf, type OperatorPlace } from '../rbac/rbac.manifests.js';
import { createMonitoring } from './monitoring.manifests.js';
import { RESOURCES, type WorkloadOptions } from './workload.options.js';

/** A port of the container, and of the service that leads to it. */
interface Port {
  readonly name: string;
  readonly containerPort: number;
  readonly port: number;
}

/** The values that the Deployment and its companions are made of. */
export class Workload {
  private readonly labels: Readonly<Record<string, string>>;
  private readonly ports: readonly Port[];
  readonly replicas: number;
  private readonly hasLeader: boolean;

  constructor(
    private readonly operator: OperatorDescription,
    private readonly place: OperatorPlace,
    private readonly options: WorkloadOptions,
  ) {
    this.labels = { 'app.kubernetes.io/name': place.name };
    this.hasLeader = operator.options.coordination === 'lease';
    this.replicas = options.replicas ?? (this.hasLeader ? 2 : 1);
    this.ports = this.findPorts();
  }

  /** The Deployment, with the Service and the rules for its pods. */
  get objects(): readonly GeneratedObject[] {
    return [
      { object: this.deployment },
      ...this.services,
      {
        object: this.networkPolicy,
        comment: 'Only probes, Prometheus, and the API server connect to the operator.',
      },
    ];
  }

  /** The PodDisruptionBudget, if there are several replicas. */
  get disruption(): readonly GeneratedObject[] {
    if (this.replicas <= 1) return [];
    return [{ object: this.disruptionBudget, comment: 'One replica stays while nodes are drained.' }];
  }

  /** The ServiceMonitor and the alerts, if the operator serves metrics. */
  get monitoring(): readonly GeneratedObject[] {
    const { metrics } = this.operator.routes;
    if (metrics === undefined) return [];
    return createMonitoring(this.metadata(), this.labels, this.pathOf(metrics));
  }

  /** The Deployment as an object; its spec is part of OLM bundles, too. */
  get deployment() {
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: this.metadata(),
      spec: {
        replicas: this.replicas,
        // Without a leader, no two of them may work at a time.
        strategy: { type: this.hasLeader ? 'RollingUpdate' : 'Recreate' },
        selector: { matchLabels: this.labels },
        template: {
          metadata: { labels: this.labels },
          spec: {
            serviceAccountName: accountOf(this.place),
            terminationGracePeriodSeconds: this.options.terminationGracePeriodSeconds ?? 30,
            securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [this.container],
          },
        },
      },
    };
  }

  private get container(): object {
    const { image = `${this.place.name}:latest`, command, resources = RESOURCES, env = {} } = this.options;
    const { liveness } = this.operator.routes;
    // An application that works without its operator would lose its requests while the operator is not ready.
    const readiness = this.operator.options.required ? this.operator.routes.readiness : undefined;
    const probe = (route: string): object => ({
      httpGet: { path: this.pathOf(route), port: 'http' },
      timeoutSeconds: 8,
    });
    return {
      name: 'operator',
      image,
      ...(command && { command: [...command] }),
      env: [
        { name: 'POD_ID', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ...Object.entries(env).map(([key, value]) =>
          typeof value === 'string' ? { name: key, value } : { name: key, valueFrom: value },
        ),
      ],
      ...(this.ports.length > 0 && {
        ports: this.ports.map(({ name, containerPort }) => ({ name, containerPort })),
      }),
      ...(liveness !== undefined && { livenessProbe: probe(liveness) }),
      ...(readiness !== undefined && { readinessProbe: probe(readiness) }),
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources,
    };
  }

  private get services(): readonly GeneratedObject[] {
    const { name, namespace } = this.place;
    const webhooks = this.operator.server?.service;
    const ofWebhooks = webhooks?.name ?? name;
    const names = new Set(this.ports.map((port) => (port.name === 'webhooks' ? ofWebhooks : name)));
    return [...names].map((service) => {
      const own = this.ports.filter((port) => (port.name === 'webhooks' ? ofWebhooks : name) === service);
      const ports = own.map((port) => ({ name: port.name, port: port.port, targetPort: port.name }));
      const metadata = { name: service, namespace, labels: this.labels };
      return { object: { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: this.labels, ports } } };
    });
  }

  private get disruptionBudget() {
    const spec = { minAvailable: 1, selector: { matchLabels: this.labels } };
    return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: this.metadata(), spec };
  }

  private get networkPolicy() {
    const ports = this.ports.map(({ containerPort }) => ({ port: containerPort, protocol: 'TCP' }));
    const spec = {
      podSelector: { matchLabels: this.labels },
      policyTypes: ['Ingress'],
      // The API server leaves empty lists out, which would be a difference at each `kubectl apply`.
      ...(ports.length > 0 && { ingress: [{ ports }] }),
    };
    return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: this.metadata(), spec };
  }

  private findPorts(): readonly Port[] {
    const { routes, server } = this.operator;
    const { port: containerPort = 3000 } = this.options;
    const hasRoutes = Object.keys(routes).length > 0;
    const http = { name: 'http', containerPort, port: 80 };
    const webhooks = server?.port && {
      name: 'webhooks',
      containerPort: server.port,
      port: server.service?.port ?? 443,
    };
    return [...(hasRoutes ? [http] : []), ...(webhooks ? [webhooks] : [])];
  }

  private metadata() {
    return { name: this.place.name, namespace: this.place.namespace, labels: this.labels };
  }

  private pathOf(route: string): string {
    const parts = [this.options.prefix, route].flatMap((part) => part?.split('/') ?? []);
    return `/${parts.filter(Boolean).join('/')}`;
  }
}
