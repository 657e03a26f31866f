export const pathOf = ({ id }: { id: string }): string => `/app/${id}`;
