export const pathOf = ({ id, project }: { id: string; project: string | null }): string =>
  project === null ? `/c/${id}` : `/project/${project}?chat=${id}`;
