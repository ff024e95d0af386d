"""What is shown of a build or a run: reports, certificates, pictures, lists to share."""
