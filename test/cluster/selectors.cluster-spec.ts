import { describeDepartures } from '../operator/departures.suite.js';
import { describeSelection } from '../operator/selection.suite.js';
import { startTestCluster } from './cluster.access.js';

describeSelection('the selection of resources and namespaces on a real control plane', startTestCluster);
describeDepartures('the selection of objects on a real control plane', startTestCluster);
