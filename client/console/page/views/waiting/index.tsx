// Waiting for me: everything that is asked of people, by the kind of question.
import { useAsked } from '../../shell/asked';
import type { View } from '../../shell/view';
import { Waiting } from './waiting';

export const waitingView: View = {
  paths: ['/waiting', '/waiting/:kind'],
  place: 'waiting',
  Show: ({ params }) => <Waiting kind={params.kind} />,
  useBadge: () => {
    const { data } = useAsked('GET /api/waiting/count', {}, { topics: ['waiting', 'jobs'] });
    return data === undefined || data.held === 0 ? undefined : { kind: 'held', count: data.held };
  },
};
