import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describePolicies } from './policies.suite.js';

describePolicies('admission policies of a real control plane', () => startTestCluster());
